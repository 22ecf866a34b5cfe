import { holderOf, isHeldByLiveSession } from '../sessions/holder.ts';
import { byRecency, isActive } from '../sessions/select-run.ts';
import type { StoredRun } from '../state/types.ts';
import type { OperationContext } from './open-project.ts';
import { callerSession } from './target-run.ts';
import { requireNotHeldByOther, withRun, writeReleased } from './with-run.ts';

export type Released =
  | { kind: 'one'; run: StoredRun }
  /** The session held none, and will no longer be offered these. */
  | { kind: 'offered'; runs: StoredRun[] };

/** Lets go of a run; it stays active, and another session may take it. */
export function releaseRuns(context: OperationContext, name: string | undefined): Released {
  const offered = name === undefined ? offeredRuns(context) : [];
  return offered.length > 1
    ? { kind: 'offered', runs: declineAll(context, offered) }
    : { kind: 'one', run: releaseOne(context, name) };
}

function releaseOne(context: OperationContext, name: string | undefined): StoredRun {
  return withRun(context, name, (run, tx) => {
    const session = callerSession(context, tx.runs);
    if (session !== null) requireNotHeldByOther(context, run, session, 'release');
    return writeReleased(context, tx, run, session);
  });
}

/** A session that holds no run may have been offered any of the free ones, and `release` declines them all. */
function offeredRuns(context: OperationContext): StoredRun[] {
  const { runs } = context.store.list();
  const session = callerSession(context, runs);
  if (session === null) return [];
  const active = byRecency(runs.filter(isActive));
  if (active.some(({ state }) => holderOf(state) === session)) return [];
  return active.filter((run) => !isHeldByLiveSession(run, context));
}

function declineAll(context: OperationContext, offered: StoredRun[]): StoredRun[] {
  return context.store.transaction((tx) => {
    const session = callerSession(context, tx.runs);
    return offered.flatMap((listed) => {
      const run = tx.reread(listed);
      return run === undefined ? [] : [writeReleased(context, tx, run, session)];
    });
  });
}
