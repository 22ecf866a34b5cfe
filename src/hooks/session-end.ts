import { endSession, recordOf } from '../sessions/history.ts';
import type { StoredRun } from '../state/types.ts';
import { textOf, type Reply } from './protocol.ts';
import type { Surroundings } from './surroundings.ts';

/** Ends the session's record; across /clear the same record tells the next session what to take over. */
export function sessionEnd(around: Surroundings): Reply {
  const { input, store, now, environment } = around;
  const claudePid = environment.CLAUDE_PID;
  const reason = textOf(input.raw, 'reason') ?? 'other';
  const { runs } = store.list();
  const { session } = around.input;
  if (session === null || !runs.some((run) => isIn(run, session))) return null;
  store.transaction((tx) => {
    for (const run of tx.runs.filter((candidate) => isIn(candidate, session))) {
      const event = { event: 'session_ended', reason, session_id: session };
      tx.write(run, endSession(run.state, session, { reason, claudePid, now }), event);
    }
  });
  return null;
}

function isIn({ state }: StoredRun, session: string): boolean {
  const record = recordOf(state, session);
  return record !== undefined && record.ended_at === undefined;
}
