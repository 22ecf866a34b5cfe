import { readingList, unreportedChanges } from '../reading/reading-list.ts';
import { readingReminder } from '../guidance/reading-messages.ts';
import { projectFiles } from '../reading/project-files.ts';
import { isDuplicateCall } from '../state/store/hook-memory.ts';
import { recordChangesReported } from '../sessions/context-record.ts';
import { parsePendingReads, unreadFiles, setPendingReads } from '../reading/pending-reads.ts';
import { contextReply, type Reply } from './protocol.ts';
import { callKey, heldRun, type HookContext } from './context.ts';

/** One short note about required files: those unread since a restore, once; those that changed, once for each change. */
export function remindOfReading(around: HookContext): Reply {
  const { input, root, store, now } = around;
  const { session } = input;
  if (session === null) return null;
  return store.transaction((tx) => {
    if (isDuplicateCall(tx.hookMemory, callKey(around), now.getTime())) return null;
    const run = heldRun(tx.runs, session);
    if (run === undefined) return null;
    const { receipts } = tx.hookMemory;
    const receipt = parsePendingReads(receipts[session]);
    const reading = readingList(run.state, projectFiles(root));
    const unread = receipt?.reminded === false ? unreadFiles(receipt, reading) : [];
    const changed = unreportedChanges(run.state, reading);
    if (unread.length === 0 && changed.length === 0) return null;
    if (changed.length > 0) {
      const paths = changed.map(({ path }) => path);
      tx.write(run, recordChangesReported(run.state, paths, now));
    }
    if (receipt !== null && unread.length > 0) {
      const told = setPendingReads(
        receipts,
        session,
        { ...receipt, reminded: true },
        now.getTime(),
      );
      tx.keepHookMemory({ ...tx.hookMemory, receipts: told });
    }
    return contextReply(input.event, readingReminder(unread, changed), null);
  });
}
