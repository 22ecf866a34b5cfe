import { HoldfastError } from '../errors/holdfast-error.ts';
import type { OperationContext } from '../operations/open-project.ts';
import { forgetPurged } from '../state/store/purged-runs.ts';
import { openClone, requireOn } from './clone.ts';
import { fetchAll, forgetPruned, pushAll, type ExchangeOptions } from './exchange.ts';
import { toSnapshot } from './portable.ts';
import {
  localRun,
  openReconciliation,
  reconcileRun,
  storedRuns,
  type Reconciliation,
} from './reconcile.ts';
import { requireNoSecrets } from './secret-fields.ts';
import { listRefs } from './refs.ts';
import { addOnce, emptyReport, type SyncReport } from './sync-report.ts';

export interface SyncOptions extends ExchangeOptions {
  /** Whether changes made here are sent; `sync on` only receives. */
  sends: boolean;
}

const MAX_TRIES = 3;

/** Fetches, merges and pushes. What was committed here stays if any of that fails. */
export async function syncRuns(
  context: OperationContext,
  options: SyncOptions,
): Promise<SyncReport> {
  const clone = requireOn(openClone(context), context);
  const work = openReconciliation(context, clone);
  const report = emptyReport(clone.remote);
  checkSecrets(work);
  if (options.sends) reconcileAll(work, options, report);
  for (let attempt = 1; ; attempt += 1) {
    options.progress(`fetching runs from ${clone.remote} …`);
    await fetchAll(work, options, report);
    forgetPruned(work);
    options.progress('merging …');
    reconcileAll(work, options, report);
    const behind = options.sends ? await pushAll(work, options, report) : [];
    if (behind.length === 0) break;
    if (attempt === MAX_TRIES)
      throw new HoldfastError({
        code: 'sync_contended',
        remote: clone.remote,
        runs: behind,
        tries: MAX_TRIES,
        report,
      });
  }
  if (options.sends && work.purged.size > 0)
    context.store.transaction((tx) => forgetPurged(tx, work.purged.keys()));
  return report;
}

/** All runs are checked before the first is committed, so that one message names every field. */
function checkSecrets({ context, clone }: Reconciliation): void {
  requireNoSecrets(
    [...storedRuns(context).values()].map((run) => ({
      run,
      snapshot: toSnapshot(localRun(context, run), null, clone.place),
    })),
  );
}

/** Brings every run together with what is known of it elsewhere. Without sending, only those that were never here. */
function reconcileAll(work: Reconciliation, { sends }: SyncOptions, report: SyncReport): void {
  const { context, clone, objects } = work;
  const stored = storedRuns(context);
  const refs = work.refs.all();
  const ids = [...new Set([...stored.keys(), ...refs.keys()])].filter((id) => {
    const { local, tracking, base } = refs.get(id) ?? {};
    // A run that ended elsewhere and was never here has nothing to do.
    return stored.has(id) || base !== undefined ? sends : (local ?? tracking)?.isEnded !== true;
  });
  objects.load(
    ids.flatMap((runId) => {
      const { local, tracking, base } = refs.get(runId) ?? {};
      return [local, tracking, base].flatMap((ref) =>
        ref === undefined ? [] : [{ id: ref.commit, runId }],
      );
    }),
  );
  for (const runId of ids) {
    let isFirst = true;
    const outcome = reconcileRun(work, runId, () => {
      const fresh = isFirst
        ? { stored, refs }
        : { stored: storedRuns(context), refs: listRefs(clone, [runId]) };
      isFirst = false;
      return {
        stored: fresh.stored.get(runId) ?? context.store.archivedRun(runId),
        refs: fresh.refs.get(runId) ?? {},
      };
    });
    switch (outcome.kind) {
      case 'arrived':
        addOnce(report.arrived, runId);
        break;
      case 'updated':
        addOnce(report.updated, runId);
        if (outcome.isEnded) addOnce(report.ended, runId);
        if (outcome.isTakenOver) addOnce(report.taken_over, runId);
        report.conflicts.push(
          ...outcome.conflicts.map((conflict) => ({ run: runId, ...conflict })),
        );
        break;
      case 'skipped':
        if (report.skipped.every(({ run }) => run !== runId))
          report.skipped.push({ run: runId, defect: outcome.defect });
        break;
      default:
    }
  }
}
