import {
  readingRefusal,
  refusalsLeft,
  savePendingReads,
} from '../guidance/reading/pending-reads.ts';
import { decidePermission, isOwnCommand } from '../sessions/permission.ts';
import { isObject, type JsonObject } from '../text/json.ts';
import { isDuplicateCall, recordCall } from '../state/store/hook-state.ts';
import {
  callKey,
  type HookContext,
  isFromSubagent,
  stringField,
  type HookInput,
  type Reply,
} from './context.ts';
import { unreadSinceRestore } from './wake.ts';

/** Where the client has no shell, it starts the same command for edits and for calls of holdfast. */
export function preToolUse(context: HookContext): Reply {
  const { input } = context;
  return (isFromSubagent(input) ? null : denyUntilRead(context)) ?? permission(input);
}

/** Which calls of holdfast need no prompt, and which always need one. It depends on the command alone. */
export function permission({ raw }: HookInput): Reply {
  const decision = decidePermission(bashCommand(raw) ?? '');
  if (decision === null) return null;
  return decisionReply(
    decision,
    decision === 'ask' ? 'holdfast leaves this to the user' : 'holdfast allows it',
  );
}

const CHANGING_TOOLS = /^(?:Edit|MultiEdit|Write|NotebookEdit|Bash)$/;

/** With `reading.enforce: block`, refuses changes until the required files were read after a restore. */
function denyUntilRead(context: HookContext): Reply {
  const { input, store, settings, now } = context;
  const { session, raw } = input;
  if (session === null || settings.reading.enforce !== 'block') return null;
  if (!CHANGING_TOOLS.test(stringField(raw, 'tool_name') ?? '')) return null;
  if (isOwnCommand(bashCommand(raw) ?? '') || unreadSinceRestore(context) === null) return null;
  const time = now.getTime();
  const call = callKey(context);
  return store.transaction((tx) => {
    const unread = unreadSinceRestore(context, tx.runs, tx.hookState);
    if (unread === null) return null;
    const { pending, files } = unread;
    // If the hook is installed twice, both calls refuse, and they count once.
    const isCounted = isDuplicateCall(tx.hookState, call, time);
    if (!isCounted && refusalsLeft(pending) === 0) return null;
    const next = { ...pending, refusals: pending.refusals + (isCounted ? 0 : 1) };
    if (!isCounted) {
      savePendingReads(tx, session, next);
      tx.saveHookState(recordCall(tx.hookState, call, time));
    }
    return decisionReply('deny', readingRefusal(files, refusalsLeft(next)));
  });
}

/** What the Bash tool is to run; null for another tool. */
function bashCommand({ tool_name: tool, tool_input: input }: JsonObject): string | null {
  return tool === 'Bash' && isObject(input) ? stringField(input, 'command') : null;
}

/** Whether the tool is run, the reply to PreToolUse. The model sees the reason if it is not. */
function decisionReply(decision: 'allow' | 'ask' | 'deny', reason: string): Reply {
  return JSON.stringify({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: decision,
      permissionDecisionReason: reason,
    },
  });
}
