import type { ReadingEntry } from '../guidance/reading/reading-list.ts';
import { restoreSession } from '../guidance/restore/restore-session.ts';
import {
  clearDue,
  isGuidanceDue,
  messagesFor,
  recordCall,
  withoutTold,
} from '../state/store/hook-state.ts';
import {
  callKey,
  detectAndSync,
  heldRun,
  requiredReading,
  touchSession,
  type HookContext,
  restoreRequest,
} from './context.ts';
import { isReminderDue } from './wake.ts';
import { contextReply, type Reply } from './protocol.ts';
import { remindOfReading } from './reading-reminder.ts';

/** Gives the guidance that a compaction owes the session, once; otherwise it may remind of required files. */
export function userPromptSubmit(context: HookContext): Reply {
  const { store, input } = context;
  const { session } = input;
  if (session === null) return null;
  const hookState = store.hookState();
  if (isGuidanceDue(hookState, session)) return restoreDue(context, session);
  const { runs } = store.list();
  touchSession(context, runs);
  const told = tellMessages(context, session);
  const run = heldRun(runs, session);
  if (run === undefined) return told === null ? null : contextReply(input.event, told, null);
  const fill = context.registry.takeFill(session);
  const reading = (): ReadingEntry[] => requiredReading(context, run);
  // Checked without the lock, because most prompts need no reminder.
  const reminder = isReminderDue(context, reading, hookState.receipts[session])
    ? remindOfReading(context)
    : null;
  const text = [told, reminder, fill === null ? null : fillWarning(fill)].filter(
    (part) => part !== null,
  );
  return text.length === 0 ? null : contextReply(input.event, text.join('\n\n'), null);
}

/** What others did to the session's run, once. */
function tellMessages(context: HookContext, session: string): string | null {
  const { store, now } = context;
  if (messagesFor(store.hookState(), session).length === 0) return null;
  return store.transaction((tx) => {
    const { text, memory } = withoutTold(tx.hookState, session, now);
    tx.saveHookState(memory);
    return text;
  });
}

function restoreDue(context: HookContext, session: string): Reply {
  const { store, input } = context;
  const { runs, sources } = detectAndSync(context);
  return store.transaction((tx) => {
    if (!isGuidanceDue(tx.hookState, session)) return null;
    const isUndecided = tx.hookState.undecided[session] !== undefined;
    const start = { source: 'compact', isBelated: true, isUndecided, runs, sources };
    const { text } = restoreSession(tx, restoreRequest(context, start));
    // The call is recorded so that a second installation of this hook does not remind of unread files right away.
    const memory = recordCall(tx.hookState, callKey(context), context.now.getTime());
    tx.saveHookState(clearDue(memory, session));
    return text === null ? null : contextReply(input.event, text, null);
  });
}

/** Given before the automatic compaction, while the agent still knows what it would lose. */
function fillWarning(percent: number): string {
  return `The context is at ${percent} % of the point where Claude Code compacts it. Save what later phases need now: \`holdfast update --set key=value\` for facts, \`--remind\` for rules, \`--read\` for files.`;
}
