import { phaseText } from '../guidance/frame.ts';
import {
  holderOf,
  lastSeen,
  liveHolder,
  machineOfHolder,
  sessionRecord,
  type LivenessContext,
} from '../sessions/holder.ts';
import type { StoredRun, RunState } from '../state/types.ts';
import { timeAgo } from '../util/relative-time.ts';
import { sanitizeLine, shortId, truncate } from '../util/sanitize.ts';
import type { StalePhase } from '../guidance/input.ts';
import type { SourceFile } from '../sync/types.ts';
import { slugOf } from '../util/slug.ts';

export function labelOf({ state }: StoredRun): string {
  return `${truncate(sanitizeLine(state.workflow), 80)}, phase ${phaseText(state)}`;
}

/** Who worked on a run that no live session holds. */
export function describeLastHolder({ state }: StoredRun, context: LivenessContext): string {
  const last = (state.sessions?.session_history ?? []).at(-1);
  if (last === undefined) return 'no session has held it';
  const seen = timeAgo(lastSeen(last, context), context.now);
  const place = last.environment?.machine === undefined ? '' : ' on another machine';
  return `last held by session ${shortId(last.session_id)}${place}, seen ${seen}`;
}

export function describeHolder({ state }: StoredRun, context: LivenessContext): string {
  const started = `started ${timeAgo(state.created_at, context.now)}`;
  const holder = liveHolder(state, context);
  if (holder === null && machineOfHolder(state) !== null)
    return `${started}, held by session ${shortId(holderOf(state) ?? '')} on another machine at the last sync`;
  if (holder === null) return `${started}, held by nobody`;
  const seen = timeAgo(lastSeen(sessionRecord(state, holder), context), context.now);
  return `${started}, held by session ${shortId(holder)}, seen ${seen}`;
}

/** The host keeps CLAUDE.local.md in the context, so if the state is ahead of its Phase line, the text says which one counts. */
export function stalePhase(
  { phase, workflow, run_id: runId = '' }: RunState,
  sources: readonly SourceFile[],
): StalePhase | null {
  for (const { kind, path, reading } of sources) {
    const declared =
      reading.state === 'active' || reading.state === 'finished' ? reading.said : undefined;
    if (kind !== 'local-file' || declared === undefined) continue;
    if (slugOf(declared.workflow) !== slugOf(workflow)) continue;
    const { current, total, name, line } = declared.phase ?? {};
    if (current !== undefined && current < phase.current)
      return {
        path,
        says: total === undefined ? (line ?? String(current)) : `${current}/${total}`,
        command: `holdfast update ${runId} --phase ${current}`,
      };
    if (current === undefined && name !== undefined && name !== phase.name)
      return { path, says: name };
  }
  return null;
}
