import { endSession, sessionRecord } from '../sessions/holder.ts';
import { forgetCalls } from '../state/store/hook-state.ts';
import type { StoredRun } from '../state/types.ts';
import { type HookContext, stringField, type Reply } from './context.ts';

/** Ends the session record. After /clear the next session finds in it which run to take over. */
export function sessionEnd({ input, store, now, client, registry, root }: HookContext): Reply {
  const reason = stringField(input.raw, 'reason') ?? 'other';
  const { session } = input;
  if (session === null) return null;
  if (reason === 'clear') registry.recordClear(session, root, client);
  else registry.recordEnd(session);
  const isOpen = ({ state }: StoredRun): boolean => {
    const record = sessionRecord(state, session);
    return record !== undefined && record.ended_at === undefined;
  };
  const own = store.list().runs.filter(isOpen);
  if (own.length === 0) return null;
  store.transaction((tx) => {
    for (const run of own.flatMap((listed) => tx.reread(listed) ?? []).filter(isOpen)) {
      const state = endSession(run.state, session, { reason, client, now });
      tx.write(run, state, { event: 'session_ended', reason, session_id: session });
    }
    tx.saveHookState(forgetCalls(tx.hookState, session));
  });
  return null;
}
