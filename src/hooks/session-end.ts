import { endSession, sessionRecord } from '../sessions/holder.ts';
import type { StoredRun } from '../state/types.ts';
import { stringField, type Reply } from './protocol.ts';
import type { HookContext } from './context.ts';

/** Ends the session's record; across /clear the same record tells the next session what to take over. */
export function sessionEnd(around: HookContext): Reply {
  const { input, store, now, environment } = around;
  const claudePid = environment['CLAUDE_PID'];
  const reason = stringField(input.raw, 'reason') ?? 'other';
  const { session } = around.input;
  if (session === null) return null;
  const own = store.list().runs.filter((run) => isIn(run, session));
  if (own.length === 0) return null;
  store.transaction((tx) => {
    for (const run of own.flatMap((listed) => tx.reread(listed) ?? [])) {
      if (!isIn(run, session)) continue;
      const event = { event: 'session_ended', reason, session_id: session };
      tx.write(run, endSession(run.state, session, { reason, claudePid, now }), event);
    }
  });
  return null;
}

function isIn({ state }: StoredRun, session: string): boolean {
  const record = sessionRecord(state, session);
  return record !== undefined && record.ended_at === undefined;
}
