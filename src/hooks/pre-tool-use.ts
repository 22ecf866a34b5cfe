import { decidePermission } from '../sessions/permission.ts';
import {
  type HookContext,
  bashCommand,
  decisionReply,
  isFromSubagent,
  type HookInput,
  type Reply,
} from './context.ts';
import { denyUntilRead } from './unread.ts';

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
