import { unreportedChanges } from '../reading/reading-list.ts';
import { readingReminder } from '../guidance/reading-messages.ts';
import { isDuplicateCall } from '../state/store/hook-state.ts';
import { recordChangesReported } from '../sessions/context-record.ts';
import { parsePendingReads, unreadFiles, setPendingReads } from '../reading/pending-reads.ts';
import { recordOwed } from './record-owed.ts';
import { callKey, heldRun, requiredReading, type HookContext } from './context.ts';

/** Reminds of required files: once of those unread since a restore, and once for each change of a file. */
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
    const changed = unreportedChanges(run.state, reading);
    if (unread.length === 0 && changed.length === 0) return null;
    if (changed.length > 0) {
      const paths = changed.map(({ path }) => path);
      tx.write(run, recordChangesReported(run.state, paths, now));
    }
    if (pending !== null && unread.length > 0) {
      const reminded = setPendingReads(
        receipts,
        session,
        { ...pending, reminded: true },
        now.getTime(),
      );
      tx.saveHookState({ ...tx.hookState, receipts: reminded });
    }
    recordOwed(context, tx);
    return readingReminder(unread, changed);
  });
}
