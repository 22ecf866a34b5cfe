import { restoreSession } from '../restore/restore-session.ts';
import { isActive } from '../sessions/select-run.ts';
import { isDuplicateCall, markRestored, recordCall } from '../state/store/hook-state.ts';
import { callKey, detectAndSync, type HookContext } from './context.ts';
import { contextReply, stringField, type Reply } from './protocol.ts';
import { restoreRequest } from './restore-request.ts';

/** Gives the session the run that it works on, or lists what is in progress. */
export function sessionStart(context: HookContext): Reply {
  const { input, store } = context;
  const { session, event } = input;
  const now = context.now.getTime();
  const source = stringField(input.raw, 'source') ?? 'startup';
  // Workflows are detected at a compaction only; otherwise the sources of known runs are enough.
  const { runs, sources } =
    source === 'compact' ? detectAndSync(context) : { runs: store.list().runs, sources: null };
  if (!runs.some(isActive)) return null;
  return store.transaction((tx) => {
    if (isDuplicateCall(tx.hookState, callKey(context), now)) return null;
    const { text, userLine } = restoreSession(
      tx,
      restoreRequest(context, { source, runs, sources }),
    );
    // Last, so that the next prompt restores the run if a write has failed.
    const memory = recordCall(tx.hookState, callKey(context), now);
    tx.saveHookState(
      source === 'compact' && session !== null ? markRestored(memory, session, now) : memory,
    );
    return text === null
      ? null
      : contextReply(event, text, event === 'SessionStart' ? userLine : null);
  });
}
