import type { StalePhase } from '../guidance/input.ts';
import type { RunState } from '../state/types.ts';
import type { SourceFile } from '../sync/types.ts';
import { slugOf } from '../util/slug.ts';

/** The host keeps CLAUDE.local.md in the context, so if the state is ahead of its Phase line, the text says which one counts. */
export function stalePhase(
  { phase, workflow }: RunState,
  sources: readonly SourceFile[],
): StalePhase | null {
  for (const { kind, path, reading } of sources) {
    const declared =
      reading.state === 'active' || reading.state === 'finished' ? reading.said : undefined;
    if (kind !== 'local-file' || declared === undefined) continue;
    if (slugOf(declared.workflow) !== slugOf(workflow)) continue;
    const { current, total, name } = declared.phase ?? {};
    if (current !== undefined && current < phase.current)
      return { path, says: `${current}/${total ?? phase.total}` };
    if (current === undefined && name !== undefined && name !== phase.name)
      return { path, says: name };
  }
  return null;
}
