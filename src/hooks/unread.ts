import {
  parsePendingReads,
  readingRefusal,
  readingReminder,
  refusalsLeft,
  savePendingReads,
  unreadFiles,
  type PendingReads,
} from '../guidance/reading/pending-reads.ts';
import type { ReadingEntry } from '../guidance/reading/reading-list.ts';
import { isOwnCommand } from '../sessions/own-command.ts';
import { isDuplicateCall, recordCall, type HookState } from '../state/store/hook-state.ts';
import type { StoredRun } from '../state/types.ts';
import { callKey, heldRun, requiredReading, type HookContext } from './context.ts';
import { bashCommand, decisionReply, stringField, type Reply } from './protocol.ts';

export interface Unread {
  pending: PendingReads;
  files: ReadingEntry[];
}

/** The required files that are unread since a restore, if the settings ask for them; null for none. */
export function unreadSinceRestore(
  context: HookContext,
  runs: readonly StoredRun[] = context.store.list().runs,
  { receipts }: HookState = context.store.hookState(),
): Unread | null {
  const { session } = context.input;
  if (session === null || context.settings.reading.enforce === 'off') return null;
  const pending = parsePendingReads(receipts[session]);
  const run = pending === null ? undefined : heldRun(runs, session);
  if (pending === null || run === undefined) return null;
  const files = unreadFiles(pending, requiredReading(context, run));
  return files.length === 0 ? null : { pending, files };
}

/** Reminds once. */
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
