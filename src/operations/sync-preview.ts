import { describeSourceProblem } from '../errors/sources.ts';
import { runIdFor, stateFile } from '../state/paths.ts';
import type { StoredRun } from '../state/types.ts';
import { planSync } from '../sync/plan-sync.ts';
import { readSyncInput } from '../sync/sync-input.ts';
import type { SourceFile, SyncChange } from '../sync/types.ts';
import { slugOf } from '../util/slug.ts';
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
  for (const problem of problems) context.warn(describeSourceProblem(problem));
  return { sources: input.sources, changes: planSync(input) };
}

/** The run that a declared workflow becomes once it is stored. */
export function asCreated(
  { state, archivedRunId }: Extract<SyncChange, { kind: 'create' }>,
  now: Date,
): StoredRun {
  const slug = slugOf(state.workflow);
  const runId = archivedRunId ?? runIdFor(slug, new Date(state.created_at));
  return {
    slug,
    runId,
    path: stateFile({ slug, runId }),
    state: { ...state, run_id: runId },
    modifiedAt: now.getTime(),
  };
}
