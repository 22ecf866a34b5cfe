import { readingReminder, savePendingReads } from '../guidance/reading/pending-reads.ts';
import { restoreSession } from '../guidance/restore/restore-session.ts';
import { clearDue, isGuidanceDue, takeMessages } from '../state/store/hook-state.ts';
import {
  detectAndSync,
  once,
  heldRun,
  restoreRequest,
  toldText,
  touchSession,
  type HookContext,
  contextReply,
  type Reply,
} from './context.ts';
import { isPromptDue, unreadSinceRestore } from './wake.ts';

/**
 * Gives the guidance that a compaction owes the session, once. Otherwise it tells once what others did to its run, which
 * required files are unread since a restore, and how full the context is.
 */
export function userPromptSubmit(context: HookContext): Reply {
  const { store, input, registry, now } = context;
  const { session, event } = input;
  if (session === null) return null;
  if (isGuidanceDue(store.hookState(), session)) return restoreDue(context, session);
  const { runs } = store.list();
  touchSession(context, runs);
  // Checked without the lock, because most prompts have nothing to tell.
  if (!isPromptDue(context, runs, store.hookState())) return null;
  return once(context, (tx) => {
    const { told, memory } = takeMessages(tx.hookState, session, now);
    tx.saveHookState(memory);
    const { pending, files = [] } = unreadSinceRestore(context, tx.runs, memory) ?? {};
    const isReminded = pending?.reminded === false;
    if (isReminded) savePendingReads(tx, session, { ...pending, reminded: true });
    const fill = heldRun(tx.runs, session) === undefined ? null : registry.takeFill(session);
    return contextReply(event, [
      toldText(told),
      isReminded ? readingReminder(files) : null,
      // Given before the automatic compaction, while the agent still knows what it would lose.
      fill === null
        ? null
        : `The context is at ${fill} % of the point where Claude Code compacts it. Save what later phases need now: \`holdfast note\` for decisions, \`holdfast update --set key=value\` for facts, \`--remind\` for rules, \`--read\` for files.`,
    ]);
  });
}

function restoreDue(context: HookContext, session: string): Reply {
  const { runs, sources } = detectAndSync(context);
  // The call counts, so that a second installation of this hook does not remind of unread files right away.
  return once(context, (tx) => {
    if (!isGuidanceDue(tx.hookState, session)) return null;
    const start = { source: 'compact', isBelated: true, runs, sources };
    const { text } = restoreSession(tx, restoreRequest(context, start));
    tx.saveHookState(clearDue(tx.hookState, session));
    return contextReply(context.input.event, [text]);
  });
}
