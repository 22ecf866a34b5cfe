import { rememberMoves } from './clone.ts';
import { isEnded } from '../state/ended.ts';
import type { Reconciliation } from './reconcile.ts';
import { endedRef, runRef } from './ref-names.ts';
import type { KnownRef } from './refs.ts';
import { BATCH, pushRefs } from './transport.ts';

/** So long the run stays where every machine sees that it has ended. */
const KEPT_MS = 24 * 3_600_000;

export function isDueToMove({ isEnded: hasEnded, at }: KnownRef, now: Date): boolean {
  return hasEnded && now.getTime() - at > KEPT_MS;
}

/**
 * Moves runs that ended a while ago out of the folder of refs that every sync lists, so that its cost does not grow
 * with them. Machines that had such a run ask for it by name. The new ref comes first, and the old one is removed only if it
 * is still the same, so that a run is never without one. If anything fails, the next sync tries again.
 */
export async function moveEnded(
  { context, clone, objects, refs }: Reconciliation,
  timeoutMs: number,
): Promise<void> {
  const { project, movesEnded } = clone;
  if (movesEnded === false) return;
  const due = [...refs.all()].flatMap(([runId, { tracking }]) =>
    tracking !== undefined && isDueToMove(tracking, context.now)
      ? [{ runId, commit: tracking.commit }]
      : [],
  );
  // One alone at first: a remote that does not let refs be removed would keep all of them twice.
  const batch = due.slice(0, movesEnded === null ? 1 : BATCH);
  objects.load(batch.map(({ runId, commit }) => ({ id: commit, runId })));
  const runs = batch.filter(({ runId, commit }) => {
    const { reading } = objects.read(commit, runId);
    return reading.kind === 'snapshot' && isEnded(reading.snapshot.state);
  });
  if (runs.length === 0) return;
  const copied = await pushRefs(
    clone,
    runs.map(({ runId, commit }) => ({ runId, ref: endedRef(project, runId), to: commit })),
    timeoutMs,
  );
  const removed = await pushRefs(
    clone,
    runs
      .filter(({ runId }) => copied.accepted.includes(runId))
      .map(({ runId, commit }) => ({
        runId,
        ref: runRef(project, runId),
        to: null,
        from: commit,
      })),
    timeoutMs,
  );
  if (removed.accepted.length > 0) rememberMoves(clone, true);
  else if (copied.refused.length + removed.refused.length > 0) rememberMoves(clone, false);
}
