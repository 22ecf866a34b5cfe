import { HoldfastError } from '../errors/holdfast-error.ts';
import type { OperationContext } from '../operations/open-project.ts';
import type { StoredRun } from '../state/types.ts';
import { openClone, requireOn } from './clone.ts';
import { fetchAll, forgetPruned, pushAll, type ExchangeOptions } from './exchange.ts';
import { moveEnded } from './move-ended.ts';
import { toSnapshot } from './portable.ts';
import {
  localRun,
  openReconciliation,
  reconcileRun,
  storedRuns,
  type Reconciliation,
} from './reconcile.ts';
import { requireNoSecrets } from './secret-fields.ts';
import { listRefs, onRemote, type RunRefs } from './refs.ts';
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
  if (options.sends) reconcileAll(work, report);
  for (let attempt = 1; ; attempt += 1) {
    options.progress(`fetching runs from ${clone.remote} …`);
    await fetchAll(work, options, report);
    forgetPruned(work);
    options.progress('merging …');
    reconcileAll(work, report);
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
  if (options.sends) await moveEnded(work, options.timeoutMs);
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

/** Brings every run together with what is known of it elsewhere. */
function reconcileAll(work: Reconciliation, report: SyncReport): void {
  const { context, clone, objects } = work;
  const stored = storedRuns(context);
  const refs = work.refs.all();
  const ids = [...new Set([...stored.keys(), ...refs.keys()])].filter((id) =>
    needsWork(stored.get(id), refs.get(id) ?? {}),
  );
  objects.load(
    ids.flatMap((runId) => {
      const { local, tracking, ended, base } = refs.get(runId) ?? {};
      return [local, tracking, ended, base].flatMap((ref) =>
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
  // They are committed; the commit that follows every other command has nothing to do.
  context.store.changed.clear();
}

/** A run that ended, is the same everywhere and is not stored here any more has nothing to do. */
function needsWork(stored: StoredRun | undefined, refs: RunRefs): boolean {
  if (stored !== undefined) return true;
  const { local, base } = refs;
  const commits = new Set([local, onRemote(refs), base].flatMap((ref) => ref?.commit ?? []));
  return !(commits.size === 1 && (local ?? onRemote(refs))?.isEnded === true);
}
