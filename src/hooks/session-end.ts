import { endSession, sessionRecord } from '../sessions/holder.ts';
import type { StoredRun } from '../state/types.ts';
import { stringField, type Reply } from './protocol.ts';
import type { HookContext } from './context.ts';

/** Ends the session record. After /clear the next session finds in it which run to take over. */
export function sessionEnd(context: HookContext): Reply {
  const { input, store, now, client, registry, root } = context;
  const reason = stringField(input.raw, 'reason') ?? 'other';
  const { session } = context.input;
  if (session === null) return null;
  if (reason === 'clear') registry.recordClear(session, root, client);
  else registry.recordEnd(session);
  const own = store.list().runs.filter((run) => isOpenIn(run, session));
  if (own.length === 0) return null;
  store.transaction((tx) => {
    for (const run of own.flatMap((listed) => tx.reread(listed) ?? [])) {
      if (!isOpenIn(run, session)) continue;
      const state = endSession(run.state, session, { reason, client, now });
      tx.write(run, state, { event: 'session_ended', reason, session_id: session });
    }
  });
  return null;
}

function isOpenIn({ state }: StoredRun, session: string): boolean {
  const record = sessionRecord(state, session);
  return record !== undefined && record.ended_at === undefined;
}
