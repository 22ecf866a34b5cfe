import { stateFile } from '../state/paths.ts';
import type { StoredRun } from '../state/types.ts';
import { planSync } from '../sync/plan-sync.ts';
import { readSyncInput } from '../sync/read-sources.ts';
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
  for (const problem of problems) context.warn({ code: 'source_problem', problem });
  return { sources: input.sources, changes: planSync(input) };
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
  const taken = new Set<string>();
  return changes.flatMap((change): DetectedRun[] => {
    if (change.kind !== 'create') return [];
    const { state, archivedRunId } = change;
    const returned = archivedRunId === undefined ? undefined : store.archivedRun(archivedRunId);
    const slug = returned?.slug ?? slugOf(state.workflow);
    const runId = returned?.runId ?? store.freeRunId(slug, new Date(state.created_at), taken);
    taken.add(runId);
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
