import { adoptRun, replaceJournal } from '../state/store/foreign-runs.ts';
import { HoldfastError } from '../errors/holdfast-error.ts';
import type { JournalEvent } from '../state/journal.ts';
import {
  departed,
  leftBehind,
  movedFrom,
  movedTo,
  withArrival,
  withOrigin,
  withoutMove,
  type MovedFrom,
} from '../state/moved.ts';
import type { Transaction } from '../state/store/store.ts';
import type { StoredRun } from '../state/types.ts';
import { endRun } from './end-run.ts';
import type { OperationContext } from './open-project.ts';
import { transact, withActor } from './with-run.ts';

/**
 * How `holdfast run --worktree` moves a run to another checkout of its repository. First the run is paused here and names
 * the other folder, then it is stored there, then the arrival is noted here: at no moment can both be continued, and at
 * every moment at least one has the whole run.
 */

/** Pauses the run here, so that nobody can continue it. `check` sees it under the lock and throws if it must stay. */
export function sendRun(
  context: OperationContext,
  runId: string,
  to: { path: string; id: string },
  check: (run: StoredRun) => void,
): StoredRun {
  return transact(context, (tx) => {
    const run = storedRun(tx, runId);
    if (movedTo(run.state)?.id === to.id) return run;
    check(run);
    const event = withActor(context, { event: 'moved', to: to.path });
    return tx.write(run, leftBehind(run.state, { ...to, runId }), event);
  });
}

/** Stores a run that `sendRun` has paused in another checkout. */
export function receiveRun(
  context: OperationContext,
  { run, journal }: { run: StoredRun; journal: readonly JournalEvent[] },
  from: MovedFrom,
): StoredRun {
  return transact(context, (tx) => {
    const { runId, slug, state } = run;
    const there =
      tx.runs.find((other) => other.runId === runId) ?? context.store.archivedRun(runId);
    if (there !== undefined) {
      if (movedFrom(there.state)?.id === from.id) return there;
      throw new HoldfastError({ code: 'run_exists', run: runId, root: context.root });
    }
    return adoptRun(tx, { runId, slug }, withOrigin(departed(state), from), journal);
  });
}

/** The run was stored in the other checkout. */
export function recordArrival(context: OperationContext, runId: string): StoredRun {
  return transact(context, (tx) => {
    const run = storedRun(tx, runId);
    return movedTo(run.state)?.arrived === false ? tx.write(run, withArrival(run.state)) : run;
  });
}

/** The run never got to the other checkout: it goes on here. */
export function undoSend(context: OperationContext, runId: string): StoredRun {
  return transact(context, (tx) => {
    const run = storedRun(tx, runId);
    if (movedTo(run.state) === null) return run;
    return tx.write(
      run,
      departed(run.state),
      withActor(context, { event: 'moved', to: context.root }),
    );
  });
}

/**
 * Stores a run that comes back with what happened to it elsewhere, and archives it if it is finished. Null if the one
 * that was left behind is not here any more, or was continued here.
 */
export function takeBack(
  context: OperationContext,
  { run, journal }: { run: StoredRun; journal: readonly JournalEvent[] },
): StoredRun | null {
  const id = movedFrom(run.state)?.id;
  return transact(context, (tx) => {
    const here = tx.runs.find(({ runId }) => runId === run.runId);
    if (here === undefined || id === undefined || movedTo(here.state)?.id !== id) return null;
    const revision = Math.max(here.state.revision ?? 0, run.state.revision ?? 0);
    const state = { ...withoutMove(departed(run.state)), revision };
    // The journal comes first: as long as the state is the old one, all of this is repeated.
    replaceJournal(tx, here, journal);
    const isFinished = state.status === 'completed' || state.status === 'cancelled';
    if (!isFinished) return tx.write(here, state);
    const event = withActor(context, { event: 'moved', to: context.root });
    return endRun(context, tx, here, state, event, false);
  });
}

function storedRun(tx: Transaction, runId: string): StoredRun {
  const run = tx.runs.find((candidate) => candidate.runId === runId);
  if (run === undefined)
    throw new HoldfastError({ code: 'unknown_run', name: runId, near: [], all: [] });
  return run;
}
