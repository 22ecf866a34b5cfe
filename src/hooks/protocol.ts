import { LONGEST_PATH } from '../io/project-root.ts';
import { isObject, type JsonObject } from '../util/json.ts';

/** What the host sends, of any version: fields come and go, so none but the event's name is required. */
export interface HookInput {
  event: string;
  session: string | null;
  cwd: string | null;
  raw: JsonObject;
}

/** What a hook answers: nothing, or text that is right for its event. */
export type Reply = string | null;

/** `named` is the event given on the command line; the payload's own name counts where there is none. */
export function parseInput(text: string, named: string | undefined): HookInput | null {
  const raw: unknown = JSON.parse(text);
  if (!isObject(raw)) return null;
  const event = named ?? stringField(raw, 'hook_event_name');
  if (event === null || event === undefined) return null;
  return { event, session: boundedString(raw, 'session_id'), cwd: boundedString(raw, 'cwd'), raw };
}

/** What no session and no folder can be called is none: it would be kept in the record of the session. */
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

/** The tool is not run; the model sees the reason. */
export function denyReply(event: string, reason: string): Reply {
  return JSON.stringify({
    hookSpecificOutput: {
      hookEventName: event,
      permissionDecision: 'deny',
      permissionDecisionReason: reason,
    },
  });
}

/** Text for the model, and a line for the user, in the only form that reaches them. */
export function contextReply(event: string, context: string, userLine: string | null): Reply {
  return JSON.stringify({
    hookSpecificOutput: { hookEventName: event, additionalContext: context },
    ...(userLine === null ? {} : { systemMessage: userLine }),
  });
}
