import { readingList, untoldChanges } from '../guidance/reading-list.ts';
import { readingReminder } from '../guidance/receipts.ts';
import { projectFiles } from '../io/file-facts.ts';
import { isRepeated } from '../sessions/hook-memory.ts';
import { recordChangesTold } from '../sessions/loaded.ts';
import { receiptFrom, stillOwed, withReceipt } from '../sessions/receipts.ts';
import { contextReply, type Reply } from './protocol.ts';
import { callKey, heldRun, type Surroundings } from './surroundings.ts';

/** One short note about required files: those unread since a restore, once; those that changed, once for each change. */
export function readingNote(around: Surroundings): Reply {
  const { input, root, store, now } = around;
  const { session } = input;
  if (session === null) return null;
  return store.transaction((tx) => {
    if (isRepeated(tx.hookMemory, callKey(around), now.getTime())) return null;
    const run = heldRun(tx.runs, session);
    if (run === undefined) return null;
    const { receipts } = tx.hookMemory;
    const receipt = receiptFrom(receipts[session]);
    const reading = readingList(run.state, projectFiles(root));
    const unread = receipt?.reminded === false ? stillOwed(receipt, reading) : [];
    const changed = untoldChanges(run.state, reading);
    if (unread.length === 0 && changed.length === 0) return null;
    if (changed.length > 0) {
      const paths = changed.map(({ path }) => path);
      tx.write(run, recordChangesTold(run.state, paths, now));
    }
    if (receipt !== null && unread.length > 0) {
      const told = withReceipt(receipts, session, { ...receipt, reminded: true }, now.getTime());
      tx.keepHookMemory({ ...tx.hookMemory, receipts: told });
    }
    return contextReply(input.event, readingReminder(unread, changed), null);
  });
}
