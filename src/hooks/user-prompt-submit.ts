import { tellMessages } from '../sessions/open-project.ts';
import { restoreSession } from '../guidance/restore/restore-session.ts';
import { clearDue, isGuidanceDue } from '../state/store/hook-state.ts';
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
import { remindOfReading } from './unread.ts';

/** Gives the guidance that a compaction owes the session, once; otherwise it may remind of required files. */
export function userPromptSubmit(context: HookContext): Reply {
  const { store, input, registry } = context;
  const { session } = input;
  if (session === null) return null;
  if (isGuidanceDue(store.hookState(), session)) return restoreDue(context, session);
  const { runs } = store.list();
  touchSession(context, runs);
  const parts: (string | null)[] = [toldText(tellMessages({ ...context, session }))];
  if (heldRun(runs, session) !== undefined) {
    const fill = registry.takeFill(session);
    parts.push(remindOfReading(context, session), fill === null ? null : fillWarning(fill));
  }
  return contextReply(input.event, parts.filter((part) => part !== null).join('\n\n'));
}

function restoreDue(context: HookContext, session: string): Reply {
  const { runs, sources } = detectAndSync(context);
  // The call counts, so that a second installation of this hook does not remind of unread files right away.
  return once(context, (tx) => {
    if (!isGuidanceDue(tx.hookState, session)) return null;
    const start = { source: 'compact', isBelated: true, runs, sources };
    const { text } = restoreSession(tx, restoreRequest(context, start));
    tx.saveHookState(clearDue(tx.hookState, session));
    return contextReply(context.input.event, text ?? '');
  });
}

/** Given before the automatic compaction, while the agent still knows what it would lose. */
function fillWarning(percent: number): string {
  return `The context is at ${percent} % of the point where Claude Code compacts it. Save what later phases need now: \`holdfast note\` for decisions, \`holdfast update --set key=value\` for facts, \`--remind\` for rules, \`--read\` for files.`;
}
