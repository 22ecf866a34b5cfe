import { isObject } from '../../../src/text/json.ts';

const GUIDED = new Set(['SessionStart', 'SubagentStart', 'UserPromptSubmit']);
const MAX_CHARS = 10_000;

/** What is wrong with a hook's reply to an event; null where the host can use it. */
export function replyProblem(event: string, reply: string): string | null {
  if (reply === '') return null;
  if (event === 'PreCompact') {
    if (reply.length > 2_000) return `${reply.length} characters`;
    return reply.trimStart().startsWith('{')
      ? 'JSON, which the host would take for orders'
      : null;
  }
  if (!GUIDED.has(event) && event !== 'PreToolUse')
    return 'a reply to an event that has none';
  let json: unknown;
  try {
    json = JSON.parse(reply);
  } catch {
    return 'not JSON';
  }
  const output = isObject(json) ? json['hookSpecificOutput'] : undefined;
  if (!isObject(output) || output['hookEventName'] !== event)
    return 'it is for another event';
  const text = GUIDED.has(event)
    ? output['additionalContext']
    : output['permissionDecisionReason'];
  if (typeof text !== 'string') return 'it has no text';
  return text.length > MAX_CHARS ? `${text.length} characters` : null;
}
