import {
  readingRefusal,
  readingReminder,
  refusalsLeft,
  savePendingReads,
} from '../guidance/reading/pending-reads.ts';
import { isOwnCommand } from '../sessions/permission.ts';
import { isDuplicateCall, recordCall } from '../state/store/hook-state.ts';
import {
  callKey,
  type HookContext,
  bashCommand,
  decisionReply,
  stringField,
  type Reply,
} from './context.ts';
import { unreadSinceRestore } from './wake.ts';

/** Reminds once of the required files that are unread since a restore. */
export function remindOfReading(context: HookContext, session: string): string | null {
  const { store, now } = context;
  // Checked without the lock, because most prompts need no reminder.
  if (unreadSinceRestore(context)?.pending.reminded !== false) return null;
  return store.transaction((tx) => {
    const unread = unreadSinceRestore(context, tx.runs, tx.hookState);
    if (unread === null || unread.pending.reminded) return null;
    if (isDuplicateCall(tx.hookState, callKey(context), now.getTime())) return null;
    savePendingReads(tx, session, { ...unread.pending, reminded: true }, now.getTime());
    return readingReminder(unread.files);
  });
}

const CHANGING_TOOLS = /^(?:Edit|MultiEdit|Write|NotebookEdit|Bash)$/;

/** With `reading.enforce: block`, refuses changes until the required files were read after a restore. */
export function denyUntilRead(context: HookContext): Reply {
  const { input, store, settings, now } = context;
  const { session, raw } = input;
  if (session === null || settings.reading.enforce !== 'block') return null;
  if (!CHANGING_TOOLS.test(stringField(raw, 'tool_name') ?? '')) return null;
  if (isOwnCommand(bashCommand(raw) ?? '') || unreadSinceRestore(context) === null) return null;
  const time = now.getTime();
  const call = `${callKey(context)} ${stringField(raw, 'tool_use_id') ?? ''}`;
  return store.transaction((tx) => {
    const unread = unreadSinceRestore(context, tx.runs, tx.hookState);
    if (unread === null) return null;
    const { pending, files } = unread;
    // If the hook is installed twice, both calls refuse, and they count once.
    const isCounted = isDuplicateCall(tx.hookState, call, time);
    if (!isCounted && refusalsLeft(pending) === 0) return null;
    const next = { ...pending, refusals: pending.refusals + (isCounted ? 0 : 1) };
    if (!isCounted) {
      savePendingReads(tx, session, next, time);
      tx.saveHookState(recordCall(tx.hookState, call, time));
    }
    return decisionReply('deny', readingRefusal(files, refusalsLeft(next)));
  });
}
