import type { StoredRun } from '../state/types.ts';
import { planSync } from '../sync/plan-sync.ts';
import { readSyncInput } from '../sync/sync-input.ts';
import type { SourceFile, SyncChange } from '../sync/types.ts';
import type { OperationContext } from './open-project.ts';

export interface SyncPreview {
  sources: readonly SourceFile[];
  /** What the next compaction would change. */
  changes: SyncChange[];
}

/** Reads the sources and plans the sync. Nothing is written. */
export function previewSync(context: OperationContext, runs: readonly StoredRun[]): SyncPreview {
  const sourceRecords = context.store.sourceRecords();
  const { input, problems } = readSyncInput(context, { runs, sourceRecords });
  for (const { path, why } of problems) context.warn(`${path} was not read: ${why}`);
  return { sources: input.sources, changes: planSync(input) };
}
