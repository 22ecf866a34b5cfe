import {
  type ReadingEntry,
  isRefusalLimitReached,
  MAX_REFUSALS,
  parsePendingReads,
  unreadFiles,
  setPendingReads,
  type PendingReads,
} from '../guidance/reading/reading-list.ts';
import { readingRefusal } from '../guidance/reading-messages.ts';
import { isDuplicateCall, recordCall, type HookState } from '../state/store/hook-state.ts';
import type { JsonObject } from '../text/json.ts';
import { isOwnCommand } from '../sessions/permission.ts';
import { bashCommand, decisionReply, stringField, type Reply } from './protocol.ts';
import { callKey, heldRun, requiredReading, type HookContext } from './context.ts';

const CHANGING_TOOLS = /^(?:Edit|MultiEdit|Write|NotebookEdit|Bash)$/;

/** With `reading.enforce: block`, refuses changes until the required files were read after a restore. */
export function denyUntilRead(context: HookContext): Reply {
  const { input, store, settings, now } = context;
  const { session, raw } = input;
  if (session === null || settings.reading.enforce !== 'block') return null;
  if (!isGuardedCall(raw)) return null;
  const run = heldRun(store.list().runs, session);
  if (run === undefined) return null;
  const reading = requiredReading(context, run);
  const time = now.getTime();
  const call = `${callKey(context)} ${stringField(raw, 'tool_use_id') ?? ''}`;
  const refusalIn = (memory: HookState): Refusal | null => {
    const pending = parsePendingReads(memory.receipts[session]);
    const unread = unreadFiles(pending, reading);
    // If the hook is installed twice, both calls refuse, and they count once.
    const isCounted = isDuplicateCall(memory, call, time);
    if (pending === null || unread.length === 0 || (isRefusalLimitReached(pending) && !isCounted))
      return null;
    return { pending, unread, isCounted };
  };
  if (refusalIn(store.hookState()) === null) return null;
  return store.transaction((tx) => {
    const refusal = refusalIn(tx.hookState);
    if (refusal === null) return null;
    const { pending, unread, isCounted } = refusal;
    const refusals = pending.refusals + (isCounted ? 0 : 1);
    if (!isCounted) {
      const receipts = setPendingReads(
        tx.hookState.receipts,
        session,
        { ...pending, refusals },
        time,
      );
      tx.saveHookState(recordCall({ ...tx.hookState, receipts }, call, time));
    }
    return decisionReply('deny', readingRefusal(unread, MAX_REFUSALS - refusals));
  });
}

interface Refusal {
  pending: PendingReads;
  unread: ReadingEntry[];
  isCounted: boolean;
}

function isGuardedCall(raw: JsonObject): boolean {
  if (!CHANGING_TOOLS.test(stringField(raw, 'tool_name') ?? '')) return false;
  return !isOwnCommand(bashCommand(raw) ?? '');
}
