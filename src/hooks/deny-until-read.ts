import { readingList, type ReadingEntry } from '../reading/reading-list.ts';
import { readingRefusal } from '../guidance/reading-messages.ts';
import { projectFiles } from '../reading/project-files.ts';
import { isDuplicateCall, recordCall, type HookState } from '../state/store/hook-memory.ts';
import {
  isRefusalLimitReached,
  MAX_REFUSALS,
  parsePendingReads,
  unreadFiles,
  setPendingReads,
  type PendingReads,
} from '../reading/pending-reads.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { isOwnCommand, type InstalledPrograms } from './is-own-command.ts';
import { denyReply, stringField, type Reply } from './protocol.ts';
import { callKey, heldRun, type HookContext } from './context.ts';

const CHANGING = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit', 'Bash']);

/** With `reading.enforce: block`, changes wait until the required files were read after a restore. */
export function denyUntilRead(around: HookContext, own: InstalledPrograms): Reply {
  const { input, root, store, settings, now } = around;
  const { session, raw } = input;
  if (session === null || settings.reading.enforce !== 'block') return null;
  if (!isGuardedCall(raw, own)) return null;
  const run = heldRun(store.list().runs, session);
  if (run === undefined) return null;
  const reading = readingList(run.state, projectFiles(root));
  const time = now.getTime();
  const call = `${callKey(around)} ${stringField(raw, 'tool_use_id') ?? ''}`;
  const owedIn = (memory: HookState): Owed | null => {
    const receipt = parsePendingReads(memory.receipts[session]);
    const unread = unreadFiles(receipt, reading);
    // The same hook may be installed twice: both refuse, and it counts once.
    const isCounted = isDuplicateCall(memory, call, time);
    if (receipt === null || unread.length === 0 || (isRefusalLimitReached(receipt) && !isCounted))
      return null;
    return { receipt, unread, isCounted };
  };
  if (owedIn(store.hookMemory()) === null) return null;
  return store.transaction((tx) => {
    const owed = owedIn(tx.hookMemory);
    if (owed === null) return null;
    const { receipt, unread, isCounted } = owed;
    const refusals = receipt.refusals + (isCounted ? 0 : 1);
    if (!isCounted) {
      const receipts = setPendingReads(
        tx.hookMemory.receipts,
        session,
        { ...receipt, refusals },
        time,
      );
      tx.keepHookMemory(recordCall({ ...tx.hookMemory, receipts }, call, time));
    }
    return denyReply(input.event, readingRefusal(unread, MAX_REFUSALS - refusals));
  });
}

interface Owed {
  receipt: PendingReads;
  unread: ReadingEntry[];
  isCounted: boolean;
}

function isGuardedCall(raw: JsonObject, own: InstalledPrograms): boolean {
  const tool = stringField(raw, 'tool_name') ?? '';
  if (tool !== 'Bash') return CHANGING.has(tool);
  const command = isObject(raw['tool_input']) ? stringField(raw['tool_input'], 'command') : null;
  return command === null || !isOwnCommand(command, own);
}
