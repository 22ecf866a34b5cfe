import { HoldfastError } from '../text/holdfast-error.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import { forgetPurged, purgedRuns } from '../state/store/foreign-runs.ts';
import { readArchivedRun } from '../state/store/run-files.ts';
import { asWord } from '../text/sanitize.ts';
import { openClone, requireOn, type SyncedClone } from './clone.ts';
import { UnreadableRun } from './commits.ts';
import { forgetPruned } from './prune.ts';
import { reconcileAll } from './reconcile.ts';
import { listRefs, removeRefs, updateRefs, type RefChange } from './refs.ts';
import { addOnce, SyncReport } from './report.ts';
import { fetchRuns, pushRefs } from './transport.ts';
import { hasNewSecret } from './withheld.ts';
import { openWork, type Work } from './work.ts';

/** Each further one only if other machines pushed between our fetch and our push. */
const MAX_TRIES = 3;

/** Fetches, merges and pushes; `sync on` only receives. If any of that fails, the state files still have everything. */
export async function syncRuns(
  context: OperationContext,
  { timeoutMs, sends }: { timeoutMs: number; sends: boolean },
): Promise<SyncReport> {
  const clone = requireOn(openClone(context), context);
  const report = new SyncReport(clone.remote);
  for (let attempt = 1; ; attempt += 1) {
    await fetchAll(clone, timeoutMs, report);
    const work = openWork(context, clone);
    forgetPruned(work);
    if (sends) startAnew(work);
    reconcileAll(work, sends, report);
    const behind = sends ? await pushAll(work, timeoutMs, report) : [];
    if (behind.length === 0) break;
    if (attempt === MAX_TRIES) throw contended(clone, behind);
  }

  const purged = purgedRuns(context.root);
  if (sends && purged.size > 0)
    context.store.transaction((tx) => forgetPurged(tx, purged.keys()));
  return report;
}

function contended(
  { remote }: SyncedClone,
  runIds: readonly string[],
): HoldfastError {
  return new HoldfastError(
    'sync_contended',
    `other machines changed ${runIds.join(', ')} on ${asWord(remote)} during each of ${MAX_TRIES} tries`,
    {
      hint: 'try again in a moment; nothing is lost: your runs are stored here',
    },
  );
}

async function fetchAll(
  clone: SyncedClone,
  timeoutMs: number,
  report: SyncReport,
): Promise<void> {
  const forced = await fetchRuns(clone, timeoutMs);
  if (forced.length === 0) return;
  // What the remote had is part of the run here, so nothing is lost by forgetting it; then the new history is merged.
  for (const runId of forced) addOnce(report.rewritten, runId);
  removeRefs(clone, listRefs(clone), forced, ['tracking']);
  await fetchRuns(clone, timeoutMs);
}

/**
 * A remote that lists nothing of a run would get its whole history. Where something in that looks like a secret, because
 * another remote has taken it, or because the ref was deleted on this one to get rid of it, the run gets a new history that
 * begins with what it is now.
 */
function startAnew(work: Work): void {
  const affected: string[] = [];
  for (const [runId, { local, tracking }] of work.refs) {
    const hasOnlyLocal = local !== undefined && tracking === undefined;
    if (!hasOnlyLocal || !work.stored.has(runId)) continue;
    if (hasSecretInHistory(work, local.commit)) affected.push(runId);
  }
  if (affected.length === 0) return;
  removeRefs(work.clone, work.refs, affected, ['local', 'base']);
  work.refs = listRefs(work.clone);
}

function hasSecretInHistory({ clone, commits }: Work, commit: string): boolean {
  return commits.history(commit).some((earlier) => {
    const reading = commits.tryRead(earlier);
    return !(reading instanceof UnreadableRun) && hasNewSecret(reading, clone);
  });
}

/** Returns the runs that the remote has changed meanwhile. */
async function pushAll(
  work: Work,
  timeoutMs: number,
  report: SyncReport,
): Promise<string[]> {
  const { clone } = work;
  const changes = changesToPush(work, report);
  if (changes.length === 0) return [];

  const { accepted, unchanged, behind, failure } = await pushRefs(
    clone,
    changes,
    timeoutMs,
  );
  // If this fails, the next fetch brings them.
  updateRefs(
    clone,
    changes.filter(({ runId }) => accepted.includes(runId)),
  );
  for (const runId of accepted) {
    const list = unchanged.includes(runId) ? report.hidden : report.sent;
    addOnce(list, runId);
  }
  if (failure !== null) throw failure;
  return behind;
}

/** What the remote has to be told, as changes of what is known of it. */
function changesToPush(work: Work, report: SyncReport): RefChange[] {
  const leftOut = [...report.skipped, ...report.secrets];
  const leftOutIds = new Set(leftOut.map(({ run }) => run));
  const changes: RefChange[] = [];
  for (const [runId, { local, tracking, base }] of listRefs(work.clone)) {
    const from = tracking?.commit;
    const to = local?.commit;
    if (to === undefined || to === from || leftOutIds.has(runId)) continue;
    // A run of this machine that is gone before anybody else had it: nobody has to learn that it existed.
    const wasOnlyHere = from === undefined && base !== undefined;
    if (wasOnlyHere && !isStored(work, runId)) continue;
    changes.push({ kind: 'tracking', runId, from, to });
  }
  return changes;
}

function isStored({ context, stored }: Work, runId: string): boolean {
  if (stored.has(runId)) return true;
  return readArchivedRun(context.store.root, runId) !== undefined;
}
