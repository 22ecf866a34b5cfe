import type { OperationContext } from '../sessions/open-project.ts';
import { readArchivedRun } from '../state/store/run-files.ts';
import { openClone, requireOn, type SyncedClone } from './clone.ts';
import { UnreadableRun } from './commits.ts';
import { removeRefs } from './refs.ts';
import { fetchRuns, pushRefs } from './transport.ts';
import { openWork, type Work } from './work.ts';

const DAY_MS = 24 * 3_600_000;
/** How long the remote keeps a run that has ended, so that machines that are away can learn of its end. */
const KEPT_MS = 30 * DAY_MS;

/** Removes runs that ended long ago from the remote. A run that was reopened meanwhile stays. */
export async function pruneRuns(
  context: OperationContext,
  { timeoutMs, dryRun }: { timeoutMs: number; dryRun: boolean },
): Promise<{ remote: string; pruned: string[] }> {
  const clone = requireOn(openClone(context), context);
  const { remote } = clone;
  await fetchRuns(clone, timeoutMs);
  const work = openWork(context, clone);
  const old = runsEndedLongAgo(work, 'tracking');
  if (dryRun) return { remote, pruned: old };

  const pushes = old.map((runId) => ({
    runId,
    from: work.refs.get(runId)?.tracking?.commit,
    to: null,
  }));
  const { accepted, failure } = await pushRefs(clone, pushes, timeoutMs);
  removeRefs(clone, work.refs, accepted);
  if (failure !== null) throw failure;
  return { remote, pruned: accepted };
}

/** Another machine has removed these runs from the remote; sending them again would bring them back. */
export function forgetPruned(work: Work): void {
  const pruned = runsEndedLongAgo(work, 'local').filter(
    (runId) => work.refs.get(runId)?.tracking === undefined,
  );
  removeRefs(work.clone, work.refs, pruned);
  for (const runId of pruned) work.refs.delete(runId);
}

function runsEndedLongAgo(
  { context, commits, refs }: Work,
  kind: 'local' | 'tracking',
): string[] {
  const old: string[] = [];
  for (const [runId, runRefs] of refs) {
    const ref = runRefs[kind];
    if (ref?.isEnded !== true) continue;
    const reading = commits.tryRead(ref.commit);
    if (reading instanceof UnreadableRun || reading.endedAt === null) continue;
    const age = context.now.getTime() - Date.parse(reading.endedAt);
    if (age > KEPT_MS) old.push(runId);
  }
  return old;
}

/** Runs whose state file was deleted here by hand stay away; who switches sync on again wants them back. */
export function forgetRemoved(
  context: OperationContext,
  clone: SyncedClone,
): void {
  const { stored, refs, purged } = openWork(context, clone);
  const isHere = (runId: string): boolean =>
    stored.has(runId) ||
    purged.has(runId) ||
    readArchivedRun(context.store.root, runId) !== undefined;
  const removed: string[] = [];
  for (const [runId, { base }] of refs)
    if (base?.isEnded === false && !isHere(runId)) removed.push(runId);
  removeRefs(clone, refs, removed, ['base']);
}
