import { HoldfastError } from '../errors/holdfast-error.ts';
import { selectRun } from '../sessions/meant-run.ts';
import { findRun } from '../sessions/select-run.ts';
import type { StoredRun } from '../state/types.ts';
import { syncRuns } from '../sync/apply-sync.ts';
import { planSync } from '../sync/plan-sync.ts';
import { readSyncInput } from '../sync/sync-input.ts';
import type { OperationContext } from './open-project.ts';
import type { SyncInput } from '../sync/types.ts';
import { asCreated } from './sync-preview.ts';

/**
 * A workflow that a local file or a plan declares can be changed before any hook has stored it: if the command means
 * one of those, the runs are brought up to what the sources declare, as at a compaction.
 */
export function storeIfDetected(context: OperationContext, name: string | undefined): void {
  const { store, now, by } = context;
  const { runs, unreadable } = store.list();
  if (name !== undefined && findRun(runs, name).kind !== 'unknown') return;
  const { input } = readSyncInput(context, { runs, sourceRecords: store.sourceRecords() });
  const detected = detectedRuns(input, now);
  const meant = detectedRunMeant(context, runs, detected, name);
  if (meant === null) return;
  syncRuns(store, input, { by, unreadable });
  context.warn(
    `stored "${meant.state.workflow}" as ${meant.runId}; it was only declared in ${meant.state.source?.path ?? 'a file'}`,
  );
}

/** Whether a source declares a workflow that is not stored yet: an unnamed command could mean that one, too. */
export function hasDetectedRun(context: OperationContext, runs: readonly StoredRun[]): boolean {
  const { input } = readSyncInput(context, {
    runs,
    sourceRecords: context.store.sourceRecords(),
  });
  return detectedRuns(input, context.now).length > 0;
}

function detectedRuns(input: SyncInput, now: Date): StoredRun[] {
  return planSync(input).flatMap((change) =>
    change.kind === 'create' ? [asCreated(change, now)] : [],
  );
}

/** Null if the command means a stored run, or none. */
function detectedRunMeant(
  context: OperationContext,
  runs: readonly StoredRun[],
  detected: readonly StoredRun[],
  name: string | undefined,
): StoredRun | null {
  if (detected.length === 0) return null;
  if (name !== undefined) {
    const found = findRun(detected, name);
    return found.kind === 'run' ? found.run : null;
  }
  const selection = selectRun([...runs, ...detected], { ...context, purpose: 'write' });
  if (selection.kind === 'run') return detected.includes(selection.run) ? selection.run : null;
  if (selection.kind === 'none') return null;
  const ids = selection.runs.map(({ runId }) => runId);
  throw new HoldfastError({ code: 'ambiguous_run', name: null, runs: ids });
}
