import { readingList, type ReadingEntry } from '../guidance/reading-list.ts';
import { readingRefusal } from '../guidance/receipts.ts';
import { projectFiles } from '../io/file-facts.ts';
import { isRepeated, withCall, type HookMemory } from '../sessions/hook-memory.ts';
import {
  isLetGo,
  MAX_REFUSALS,
  receiptFrom,
  stillOwed,
  withReceipt,
  type Receipt,
} from '../sessions/receipts.ts';
import { isObject, type JsonObject } from '../state/json.ts';
import { isOwnCommand, type OwnProgram } from './own-command.ts';
import { denyReply, textOf, type Reply } from './protocol.ts';
import { callKey, heldRun, type Surroundings } from './surroundings.ts';

const CHANGING = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit', 'Bash']);

/** With `reading.enforce: block`, changes wait until the required files were read after a restore. */
export function holdBack(around: Surroundings, own: OwnProgram): Reply {
  const { input, root, store, settings, now } = around;
  const { session, raw } = input;
  if (session === null || settings.reading.enforce !== 'block') return null;
  if (!isHeldBack(raw, own)) return null;
  const run = heldRun(store.list().runs, session);
  if (run === undefined) return null;
  const reading = readingList(run.state, projectFiles(root));
  const time = now.getTime();
  const call = `${callKey(around)} ${textOf(raw, 'tool_use_id') ?? ''}`;
  const owedIn = (memory: HookMemory): Owed | null => {
    const receipt = receiptFrom(memory.receipts[session]);
    const unread = stillOwed(receipt, reading);
    // The same hook may be installed twice: both refuse, and it counts once.
    const isCounted = isRepeated(memory, call, time);
    if (receipt === null || unread.length === 0 || (isLetGo(receipt) && !isCounted)) return null;
    return { receipt, unread, isCounted };
  };
  if (owedIn(store.hookMemory()) === null) return null;
  return store.transaction((tx) => {
    const owed = owedIn(tx.hookMemory);
    if (owed === null) return null;
    const { receipt, unread, isCounted } = owed;
    const refusals = receipt.refusals + (isCounted ? 0 : 1);
    if (!isCounted) {
      const receipts = withReceipt(tx.hookMemory.receipts, session, { ...receipt, refusals }, time);
      tx.keepHookMemory(withCall({ ...tx.hookMemory, receipts }, call, time));
    }
    return denyReply(input.event, readingRefusal(unread, MAX_REFUSALS - refusals));
  });
}

interface Owed {
  receipt: Receipt;
  unread: ReadingEntry[];
  isCounted: boolean;
}

function isHeldBack(raw: JsonObject, own: OwnProgram): boolean {
  const tool = textOf(raw, 'tool_name') ?? '';
  if (tool !== 'Bash') return CHANGING.has(tool);
  const command = isObject(raw.tool_input) ? textOf(raw.tool_input, 'command') : null;
  return command === null || !isOwnCommand(command, own);
}
