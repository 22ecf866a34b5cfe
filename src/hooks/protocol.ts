import { LONGEST_PATH } from '../io/project-root.ts';
import { isObject, type JsonObject } from '../util/json.ts';

/** What the host sends. Fields differ between versions, so only the name of the event is required. */
export interface HookInput {
  event: string;
  session: string | null;
  cwd: string | null;
  raw: JsonObject;
}

/** The text on stdout; null for none. */
export type Reply = string | null;

/**
 * `named` is the event from the command line; it takes precedence over the one in the payload. `environmentSession` is
 * the session that the environment names, for a payload that names none.
 */
export function parseInput(
  text: string,
  named: string | undefined,
  environmentSession?: string,
): HookInput | null {
  const raw: unknown = JSON.parse(text);
  if (!isObject(raw)) return null;
  const event = named ?? stringField(raw, 'hook_event_name');
  if (event === null || event === undefined) return null;
  const session =
    boundedString(raw, 'session_id') ?? boundedString({ session: environmentSession }, 'session');
  return { event, session, cwd: boundedString(raw, 'cwd'), raw };
}

/** Ignores ids and paths that are too long to be real, because they would be stored in the session record. */
function boundedString(raw: JsonObject, key: string): string | null {
  const text = stringField(raw, key);
  return text !== null && text.length > LONGEST_PATH ? null : text;
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

/** Text for the model, a line for the user, or both. */
export function contextReply(
  event: string,
  context: string | null,
  userLine: string | null,
): Reply {
  if (context === null && userLine === null) return null;
  return JSON.stringify({
    hookSpecificOutput:
      context === null ? undefined : { hookEventName: event, additionalContext: context },
    systemMessage: userLine ?? undefined,
  });
}
