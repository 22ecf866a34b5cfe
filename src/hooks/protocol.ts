import { LONGEST_PATH, homeFolder, findProjectRoot } from '../files/environment.ts';
import { isObject, type JsonObject } from '../text/json.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HOSTS, asOurs, isHostName, type HostName } from '../hosts/hosts.ts';
import { readStdin } from '../files/streams.ts';
import { STATE_FOLDER } from '../state/paths.ts';

/** What the host sends. Fields differ between versions, so only the name of the event is required. */
export interface HookInput {
  event: string;
  session: string | null;
  cwd: string | null;
  raw: JsonObject;
  /** The host's own name of the event. */
  hostEvent?: string;
}

/** The text on stdout; null for none. */
export type Reply = string | null;

/**
 * `named` is the event from the command line; it takes precedence over the one in the payload. `environmentSession` is
 * the session that the environment names, for a payload that names none.
 */
function parseInput(
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
  const hostEvent = stringField(raw, 'hook_event_name') ?? event;
  return { event, session, cwd: boundedString(raw, 'cwd'), raw, hostEvent };
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

/** The input of a hook, or why it could not be understood, for the log. */
export type HookCall = { event: string; root: string | null } & (
  | {
      input: HookInput;
      /** Other projects that the session may work in; null if the command line names the folder. */
      elsewhere: { launch: string | null } | null;
      environment: Record<string, string | undefined>;
      host: HostName;
    }
  | { failure: unknown }
);

/** As the hook line of bin/hook.sh names the event of the entry that decides about calls of holdfast. */
export const PERMISSION = 'Permission';
/** A sub-agent may call holdfast as its parent may. */
const OF_SUBAGENTS = /^(?:Permission|PreToolUse)$/;

const MAX_INPUT_BYTES = 20_000_000;

/** Null where hooks are switched off, and for most events of a sub-agent. */
export function readCall(): HookCall | null {
  if (process.env['HOLDFAST'] === 'off') return null;
  const { event, cwd, host } = readArguments(process.argv.slice(2));
  let root: string | null = null;
  try {
    const folder = cwd ?? process.cwd();
    root = findProjectRoot(folder, homeFolder());
    const text = readStdin(MAX_INPUT_BYTES);
    if (text === null) throw new Error('the input is larger than 20 MB');
    const named = process.env[HOSTS[host].session[0] ?? ''];
    const input = parseInput(text, event, named);
    if (input === null) throw new Error('the input names no event');
    if (isFromSubagent(input) && !OF_SUBAGENTS.test(input.event)) return null;
    if (cwd === undefined && input.cwd !== null && input.cwd !== folder)
      root = findProjectRoot(input.cwd, homeFolder());
    const elsewhere = cwd === undefined ? { launch: launchRoot(root) } : null;
    const pid = process.env['HOLDFAST_PID'];
    const environment = asOurs(host, process.env, { session: input.session, pid });
    return { event: input.event, root, elsewhere, environment, host, input };
  } catch (failure) {
    return { event: event ?? 'hook', root, failure };
  }
}

/** A session that has changed its folder may hold a run in the project that it was launched in. */
function launchRoot(root: string): string | null {
  const launchedIn = process.env['CLAUDE_PROJECT_DIR'] ?? '';
  if (launchedIn === '' || launchedIn === root) return null;
  const launch = findProjectRoot(launchedIn, homeFolder());
  return launch === root || !existsSync(join(launch, STATE_FOLDER)) ? null : launch;
}

/** `[hook] [event] [--cwd dir] [--host name]`: the host calls `holdfast hook` or this file directly. */
function readArguments(words: string[]): { event?: string; cwd?: string; host: HostName } {
  const parts = words.flatMap((word) => /^(--(?:cwd|host))=(.*)$/s.exec(word)?.slice(1) ?? [word]);
  const valueOf = (option: string): string | undefined => {
    const at = parts.indexOf(option);
    return at < 0 ? undefined : parts.splice(at, 2)[1];
  };
  const [cwd, name] = [valueOf('--cwd'), valueOf('--host')];
  const event = parts.find((word) => word !== 'hook');
  const host = isHostName(name) ? name : 'claude';
  return { host, ...(event === undefined ? {} : { event }), ...(cwd === undefined ? {} : { cwd }) };
}
