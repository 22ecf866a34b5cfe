import { decidePermission } from '../sessions/permission.ts';
import type { HookContext } from './context.ts';
import { denyUntilRead } from './deny-until-read.ts';
import {
  bashCommand,
  decisionReply,
  isFromSubagent,
  type HookInput,
  type Reply,
} from './protocol.ts';

/** Where the client has no shell, it starts the same command for edits and for calls of holdfast. */
export function preToolUse(context: HookContext): Reply {
  return (isFromSubagent(context.input) ? null : refusal(context)) ?? permission(context.input);
}

/** Most sessions have nothing left to read; they are answered from the hook state alone. */
function refusal(context: HookContext): Reply {
  const { session } = context.input;
  const isOwed = session !== null && context.store.hookState().receipts[session] !== undefined;
  return isOwed ? denyUntilRead(context) : null;
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
