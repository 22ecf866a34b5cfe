import { selectRun } from '../sessions/meant-run.ts';
import type { StoredRun } from '../state/types.ts';
import { syncRuns } from '../sync/apply-sync.ts';
import { planSync } from '../sync/plan-sync.ts';
import { readSyncInput } from '../sync/read-sources.ts';
import type { SyncInput } from '../sync/types.ts';
import { ambiguousRunError, findNamedRun } from './named-run.ts';
import type { OperationContext } from './open-project.ts';
import { detectedRuns, type DetectedRun } from './sync-preview.ts';

/**
 * A workflow that a local file or a plan declares can be changed before any hook has stored it: if the command means
 * one of those, the runs are brought up to what the sources declare, as at a compaction.
 */
export function storeIfDetected(
  context: OperationContext,
  name: string | undefined,
  /** Throws if the command refuses the run: then nothing is stored. */
  requireAllowed: (meant: StoredRun) => void = () => undefined,
): void {
  const { runs } = context.store.list();
  if (name !== undefined && runs.some(({ runId }) => runId === name.trim())) return;
  const input = syncInput(context, runs);
  const detected = detectedRuns(context, planSync(input));
  if (detected.length === 0) return;
  const meant = meantRun(context, runs, detected, name);
  if (meant === null || !detected.some(({ run }) => run === meant)) return;
  requireAllowed(meant);
  const { runId, state } = store(context, input, meant);
  context.warn({
    code: 'declared_run_stored',
    run: runId,
    workflow: state.workflow,
    source: state.source?.path ?? null,
  });
}

/** The run that a command which changes one would change, stored or not; null if no run matches. Nothing is written. */
export function previewTarget(
  context: OperationContext,
  name: string | undefined,
): StoredRun | null {
  const { runs } = context.store.list();
  return meantRun(context, runs, findDetectedRuns(context, runs), name);
}

/** The workflows that sources declare and that no state file has yet. */
export function findDetectedRuns(
  context: OperationContext,
  runs: readonly StoredRun[],
): DetectedRun[] {
  return detectedRuns(context, planSync(syncInput(context, runs)));
}

function syncInput(context: OperationContext, runs: readonly StoredRun[]): SyncInput {
  return readSyncInput(context, { runs, sourceRecords: context.store.sourceRecords() }).input;
}

/** Null if no run matches. */
function meantRun(
  context: OperationContext,
  runs: readonly StoredRun[],
  detected: readonly DetectedRun[],
  name: string | undefined,
): StoredRun | null {
  const all = [...runs, ...detected.map(({ run }) => run)];
  const found =
    name === undefined
      ? selectRun(all, { ...context, purpose: 'write' })
      : findNamedRun(context, runs, name, detected);
  if (found.kind === 'ambiguous') throw ambiguousRunError(name ?? null, found.runs);
  return found.kind === 'run' ? found.run : null;
}

/** One sync stores only so many runs, so it is repeated until the one that is meant is among them. */
function store(context: OperationContext, input: SyncInput, meant: StoredRun): StoredRun {
  const { unreadable } = context.store.list();
  for (let count = input.runs.length; ;) {
    const runs = syncRuns(context.store, input, { by: context.by, unreadable });
    const stored = runs.find(
      ({ runId, state }) =>
        runId === meant.runId ||
        (state.source?.path === meant.state.source?.path &&
          state.workflow === meant.state.workflow),
    );
    if (stored !== undefined || runs.length <= count) return stored ?? meant;
    count = runs.length;
  }
}
