import { HoldfastError } from '../errors/holdfast-error.ts';
import type { SyncedClone } from './clone.ts';
import { isPrunable } from './prune.ts';
import { storedRuns, type Reconciliation } from './reconcile.ts';
import { runRef } from './ref-names.ts';
import type { RefList, RunRefs } from './refs.ts';
import { addOnce, type SyncReport } from './sync-report.ts';
import { fetchRuns, pushRefs, type TransportFailure } from './transport.ts';

export interface ExchangeOptions {
  timeoutMs: number;
  progress: (line: string) => void;
}

/** Brings what is known of the remote up to date. */
export async function fetchAll(
  work: Reconciliation,
  { timeoutMs }: ExchangeOptions,
  report: SyncReport,
): Promise<void> {
  const { clone, refs } = work;
  const result = await fetchRuns(clone, timeoutMs);
  refs.forget();
  if (result.kind === 'failed') throw transportError(clone, result, report);
  if (result.kind === 'done') return;
  // What the remote had is part of the run here, so nothing is lost by forgetting it; then the new history is merged.
  for (const runId of result.runIds) addOnce(report.rewritten, runId);
  forgetTracking(refs, result.runIds);
  const again = await fetchRuns(clone, timeoutMs);
  refs.forget();
  if (again.kind === 'failed') throw transportError(clone, again, report);
}

function forgetTracking(refs: RefList, runIds: readonly string[]): void {
  refs.update(
    runIds.flatMap((runId) => {
      const from = refs.all().get(runId)?.tracking?.commit;
      return from === undefined ? [] : [{ kind: 'tracking' as const, runId, from, to: null }];
    }),
  );
}

/** Another machine has pruned these runs; sending them again would bring them back. */
export function forgetPruned({ context, objects, refs }: Reconciliation): void {
  const gone = [...refs.all()].flatMap(([runId, { local, tracking, base }]) =>
    local?.isEnded === true && tracking === undefined ? [{ runId, local, base }] : [],
  );
  objects.load(gone.map(({ runId, local }) => ({ id: local.commit, runId })));
  const changes = gone
    .filter(({ runId, local }) => {
      const { reading } = objects.read(local.commit, runId);
      return reading.kind === 'snapshot' && isPrunable(reading.snapshot, context.now);
    })
    .flatMap(({ runId, local, base }) => [
      { kind: 'local' as const, runId, from: local.commit, to: null },
      ...(base === undefined
        ? []
        : [{ kind: 'base' as const, runId, from: base.commit, to: null }]),
    ]);
  refs.update(changes);
}

/** Returns the runs that the remote has changed meanwhile. */
export async function pushAll(
  work: Reconciliation,
  { timeoutMs, progress }: ExchangeOptions,
  report: SyncReport,
): Promise<string[]> {
  const { clone, refs } = work;
  const skipped = new Set(report.skipped.map(({ run }) => run));
  const waiting = [...refs.all()].flatMap(([runId, known]) => {
    const [from, to] = [known.tracking?.commit, known.local?.commit];
    if (to === undefined || to === from || skipped.has(runId)) return [];
    if (isGoneUnsent(work, runId, known)) return [];
    return [{ kind: 'tracking' as const, runId, from, to }];
  });
  if (waiting.length === 0) return [];
  progress(
    `sending ${waiting.length === 1 ? '1 run' : `${waiting.length} runs`} to ${clone.remote} …`,
  );
  const result = await pushRefs(
    clone,
    waiting.map(({ runId, to }) => ({ runId, ref: runRef(clone.project, runId), to })),
    timeoutMs,
  );
  // If this fails, the next fetch brings them.
  refs.update(waiting.filter(({ runId }) => result.accepted.includes(runId)));
  for (const runId of result.accepted)
    addOnce(result.unchanged.includes(runId) ? report.hidden : report.sent, runId);
  if (result.failure !== null) throw transportError(clone, result.failure, report);
  const [refused] = result.refused;
  if (refused !== undefined)
    throw transportError(clone, { problem: 'refused', reason: refused.reason }, report);
  return result.behind;
}

/** A run of this machine that was purged or deleted before anybody else had it: nobody has to learn that it existed. */
function isGoneUnsent({ context }: Reconciliation, runId: string, known: RunRefs): boolean {
  if (known.base === undefined || known.tracking !== undefined) return false;
  return !storedRuns(context).has(runId) && context.store.archivedRun(runId) === undefined;
}

function transportError(
  { remote }: SyncedClone,
  { problem, reason }: TransportFailure,
  report: SyncReport,
): HoldfastError {
  return new HoldfastError({ code: 'sync_transport', remote, problem, reason, report });
}
