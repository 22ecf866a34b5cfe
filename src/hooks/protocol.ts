import { LONGEST_PATH } from '../files/environment.ts';
import { readStdin } from '../files/streams.ts';
import { isObject, type JsonObject } from '../text/json.ts';

/** What the host sends. Fields differ between versions, so only the name of the event is required. */
export interface HookInput {
  event: string;
  session: string | null;
  cwd: string | null;
  raw: JsonObject;
}

/** The text on stdout; null for none. */
export type Reply = string | null;

const MAX_INPUT_BYTES = 20_000_000;

/** `event` is the one from the command line; it takes precedence over the one in the payload. */
export function readInput(event: string | undefined): HookInput {
  const text = readStdin(MAX_INPUT_BYTES);
  if (text === null) throw new Error('the input is larger than 20 MB');
  const raw: unknown = JSON.parse(text);
  const named = isObject(raw) ? (event ?? stringField(raw, 'hook_event_name')) : null;
  if (!isObject(raw) || named === null) throw new Error('the input names no event');
  const session = bounded(raw['session_id']) ?? bounded(process.env['CLAUDE_CODE_SESSION_ID']);
  return { event: named, session, cwd: bounded(raw['cwd']), raw };
}

/** Ignores ids and paths that are too long to be real, because they would be stored in the session record. */
function bounded(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_PATH ? value : null;
}

/** Sub-agents fire the same hooks with their parent's session. */
export function isFromSubagent({ raw }: HookInput): boolean {
  return stringField(raw, 'agent_id') !== null;
}

export function stringField(raw: JsonObject, key: string): string | null {
  const value = raw[key];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** What the Bash tool is to run; null for another tool. */
export function bashCommand({ tool_name: tool, tool_input: input }: JsonObject): string | null {
  return tool === 'Bash' && isObject(input) ? stringField(input, 'command') : null;
}

/** Whether the tool is run, the reply to PreToolUse. The model sees the reason if it is not. */
export function decisionReply(decision: 'allow' | 'ask' | 'deny', reason: string): Reply {
  return JSON.stringify({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: decision,
      permissionDecisionReason: reason,
    },
  });
}

/** Text for the model, a line for the user, or both; empty for none. */
export function contextReply(event: string, context: string, userLine = ''): Reply {
  if (context === '' && userLine === '') return null;
  return JSON.stringify({
    hookSpecificOutput:
      context === '' ? undefined : { hookEventName: event, additionalContext: context },
    systemMessage: userLine || undefined,
  });
}
