import { readingReminder } from '../guidance/reading-messages.ts';
import { isDuplicateCall } from '../state/store/hook-state.ts';
import {
  parsePendingReads,
  unreadFiles,
  setPendingReads,
} from '../guidance/reading/reading-list.ts';
import { callKey, heldRun, requiredReading, type HookContext } from './context.ts';

/** Reminds once of the required files that are unread since a restore. */
export function remindOfReading(context: HookContext): string | null {
  const { input, store, now } = context;
  const { session } = input;
  if (session === null) return null;
  return store.transaction((tx) => {
    if (isDuplicateCall(tx.hookState, callKey(context), now.getTime())) return null;
    const run = heldRun(tx.runs, session);
    if (run === undefined) return null;
    const { receipts } = tx.hookState;
    const pending = parsePendingReads(receipts[session]);
    const reading = requiredReading(context, run);
    const unread = pending?.reminded === false ? unreadFiles(pending, reading) : [];
    if (pending === null || unread.length === 0) return null;
    const told = { ...pending, reminded: true };
    const reminded = setPendingReads(receipts, session, told, now.getTime());
    tx.saveHookState({ ...tx.hookState, receipts: reminded });
    return readingReminder(unread);
  });
}
