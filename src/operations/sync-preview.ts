import { liveHolder } from '../sessions/holder.ts';
import type { StoredRun } from '../state/types.ts';
import { planSync } from '../sync/plan-sync.ts';
import { readSources } from '../sync/read-sources.ts';
import type { SourceFile, SyncChange, SyncInput } from '../sync/types.ts';
import type { OperationContext } from './open-project.ts';

/** What the sync of sources is given, whether its changes are applied or only shown. */
export function syncInput(
  context: OperationContext,
  { sources, runs, memory }: Pick<SyncInput, 'sources' | 'runs' | 'memory'>,
): SyncInput {
  return {
    sources,
    runs,
    memory,
    session: context.session,
    isHeld: (run) => liveHolder(run.state, context) !== null,
    now: context.now,
  };
}

export interface SyncPreview {
  sources: SourceFile[];
  /** What the next compaction would change. */
  changes: SyncChange[];
}

/** Reads the sources and plans the sync. Nothing is written. */
export function previewSync(context: OperationContext, runs: readonly StoredRun[]): SyncPreview {
  const memory = context.store.memory();
  const { sources, problems } = readSources(context.root, context.settings.detect, { memory });
  for (const { path, why } of problems) context.warn(`${path} was not read: ${why}`);
  return { sources, changes: planSync(syncInput(context, { sources, runs, memory })) };
}
