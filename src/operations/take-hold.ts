import { environmentOf } from '../sessions/environment.ts';
import { resolveSession, hold, holderOf, liveHolder } from '../sessions/holder.ts';
import { isActive } from '../sessions/select-run.ts';
import type { Transaction } from '../state/store/store.ts';
import type { StoredRun } from '../state/types.ts';
import type { OperationContext } from './context.ts';

export interface Taken {
  /** Not written yet: the move that follows does. */
  run: StoredRun;
  /** For the journal. */
  taken: { held?: true };
}

/**
 * A session without a run that moves one nobody works on has made it its own: the /clear that it asks for next
 * finds its way back only to a run that is held.
 */
export function holdIfFree(desk: OperationContext, tx: Transaction, run: StoredRun): Taken {
  if (desk.session === null || liveHolder(run.state, desk) !== null) return { run, taken: {} };
  const session = resolveSession(desk.session, tx.runs);
  const isBusy = tx.runs.some(
    (other) => other.runId !== run.runId && isActive(other) && holderOf(other.state) === session,
  );
  if (isBusy) return { run, taken: {} };
  const environment = environmentOf(desk.root, desk.cwd, desk.claudePid);
  const state = hold(run.state, session, environment, desk.now);
  return { run: { ...run, state }, taken: holderOf(run.state) === session ? {} : { held: true } };
}
