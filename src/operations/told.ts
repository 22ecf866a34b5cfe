import { takenOverRuns, takenOverText } from '../restore/taken-over.ts';
import { sessionRecord } from '../sessions/holder.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import type { OperationContext } from './open-project.ts';
import { callerSession } from './target-run.ts';

/**
 * What the session is told, once, of runs that sessions on other machines have taken from it. The caller must deliver
 * it: each sentence is recorded as told.
 */
export function takenOverNotices(context: OperationContext): string[] {
  const { runs } = context.store.list();
  const session = callerSession(context, runs);
  if (session === null) return [];
  const isTold = ({ state }: StoredRun): boolean =>
    sessionRecord(state, session)?.taken_over?.is_told === true;
  const untold = takenOverRuns(runs, session).filter((run) => !isTold(run));
  if (untold.length === 0) return [];
  context.store.transaction((tx) => {
    for (const listed of untold) {
      const run = tx.reread(listed);
      if (run !== undefined && !isTold(run)) tx.write(run, withTold(run.state, session));
    }
  });
  return untold.map((run) => takenOverText(run, session));
}

function withTold(state: RunState, session: string): RunState {
  const history = (state.sessions?.session_history ?? []).map((record) =>
    record.session_id === session && record.taken_over !== undefined
      ? { ...record, taken_over: { ...record.taken_over, is_told: true } }
      : record,
  );
  return { ...state, sessions: { ...state.sessions, session_history: history } };
}

/** They have been shown, and are not shown again. */
export function forgetConflicts({ store }: OperationContext, listed: StoredRun): void {
  if (listed.state.conflicts === undefined) return;
  store.transaction((tx) => {
    const run = tx.reread(listed);
    if (run === undefined) return;
    const { conflicts: _told, ...state } = run.state;
    tx.write(run, state);
  });
}
