import { readArchivedRun } from '../state/store/list-runs.ts';
import { TakenIds } from '../state/store/unique-names.ts';
import { stateFile } from '../state/paths.ts';
import type { StoredRun } from '../state/types.ts';
import { readSyncInput } from './read-sources.ts';
import { compareSources, planSync, type SyncPlan } from './plan-sync.ts';
import type { SourceFile, SyncChange, SyncInput } from './types.ts';
import { slugOf } from '../text/slug.ts';
import type { OperationContext } from '../sessions/open-project.ts';

/** The workflows that sources declare and that no state file has yet. */
export function findDetectedRuns(
  context: OperationContext,
  runs: readonly StoredRun[],
): DetectedRun[] {
  return detectedRuns(context, planSync(syncInput(context, runs)));
}

export function syncInput(context: OperationContext, runs: readonly StoredRun[]): SyncInput {
  return readSyncInput(context, { runs, sourceRecords: context.store.sourceRecords() }).input;
}

/** Reads the sources and plans the sync. Nothing is written. */
export function previewSync(
  context: OperationContext,
  runs: readonly StoredRun[],
): SyncPlan & { sources: readonly SourceFile[] } {
  const sourceRecords = context.store.sourceRecords();
  const { input, problems } = readSyncInput(context, { runs, sourceRecords });
  for (const { message } of problems) context.warn(message);
  return { sources: input.sources, ...compareSources(input) };
}

/** A workflow that sources declare and that is not stored yet. */
export interface DetectedRun {
  /** The run that it becomes once it is stored. */
  run: StoredRun;
  change: Extract<SyncChange, { kind: 'create' }>;
}

/** In the order in which they would be stored, because that decides the ids of workflows with the same name. */
export function detectedRuns(
  { store, now }: Pick<OperationContext, 'store' | 'now'>,
  changes: readonly SyncChange[],
): DetectedRun[] {
  const taken = new TakenIds();
  return changes.flatMap((change): DetectedRun[] => {
    if (change.kind !== 'create') return [];
    const { state, archivedRunId } = change;
    const returned =
      archivedRunId === undefined ? undefined : readArchivedRun(store.root, archivedRunId);
    const slug = returned?.slug ?? slugOf(state.workflow);
    const runId = returned?.runId ?? taken.take(store.root, slug, new Date(state.created_at));
    const run = {
      slug,
      runId,
      path: stateFile({ slug, runId }),
      state: { ...state, run_id: runId },
      modifiedAt: now.getTime(),
    };
    return [{ run, change }];
  });
}
