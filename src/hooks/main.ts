import { currentTime, findProjectRoot, homeFolder } from '../files/environment.ts';
import { write } from '../files/streams.ts';
import { claudeEnvironment, isHostName, replyFor, type HostName } from '../hosts/hosts.ts';
import { handleInHost } from './other-hosts.ts';
import { MARKED_EVENTS } from '../state/store/state-folder.ts';
import {
  createHookContext,
  type HookContext,
  isFromSubagent,
  readInput,
  stringField,
  type Reply,
} from './context.ts';
import { logFailure } from './log.ts';
import { postCompact } from './post-compact.ts';
import { postToolUse } from './post-tool-use.ts';
import { preCompact } from './pre-compact.ts';
import { permission, preToolUse } from './pre-tool-use.ts';
import { sessionEnd } from './session-end.ts';
import { sessionStart } from './session-start.ts';
import { printStatusLine } from './status-line.ts';
import { subagentStart } from './subagent-start.ts';
import { userPromptSubmit } from './user-prompt-submit.ts';
import { settleMarks } from './wake.ts';

const handlers = new Map<string, (context: HookContext) => Reply>([
  ['PreCompact', preCompact],
  ['SessionStart', sessionStart],
  ['SessionEnd', sessionEnd],
  ['PostCompact', postCompact],
  ['PostToolUse', postToolUse],
  // As bin/hook.sh names the entry of that tool.
  ['ExitPlanMode', postToolUse],
  ['SubagentStart', subagentStart],
  ['UserPromptSubmit', userPromptSubmit],
  ['PreToolUse', preToolUse],
]);

/** As the hook line of bin/hook.sh names the event of the entry that decides about calls of holdfast. */
const PERMISSION = 'Permission';
/** A sub-agent may call holdfast as its parent may, and is told of the run. */
const OF_SUBAGENTS = new Set([PERMISSION, 'PreToolUse', 'SubagentStart']);

/** The only place that catches everything: a failing hook must not disturb the host, so it logs and replies nothing. */
function main(words: string[]): void {
  const { cwd, event: named, host } = readArguments(words);
  const now = currentTime();
  let event = named ?? 'hook';
  let root: string | null = null;
  const note = (problem: unknown): void => logFailure(root, event, problem, now);
  try {
    root = findProjectRoot(cwd ?? process.cwd(), homeFolder());
    const input = readInput(named, host);
    ({ event } = input);
    if (isFromSubagent(input) && !OF_SUBAGENTS.has(event)) return;
    if (event === PERMISSION) {
      write(1, permission(input) ?? '');
      return;
    }
    if (cwd === undefined && input.cwd !== null) root = findProjectRoot(input.cwd, homeFolder());
    const pid = process.env['HOLDFAST_PID'];
    const { session } = input;
    const environment = claudeEnvironment(host, process.env, { session, pid });
    const options = { input, root, isFolderGiven: cwd !== undefined, now, note };
    const context = createHookContext({ ...options, environment });
    if (session !== null && event !== 'SessionEnd') context.registry.recordSeen(session);
    const handle = (call: HookContext): Reply => handlers.get(call.input.event)?.(call) ?? null;
    const reply = host === 'claude' ? handle(context) : handleInHost(context, handle);
    write(1, replyFor(host, stringField(input.raw, 'hook_event_name') ?? event, reply) ?? '');
    if (MARKED_EVENTS.some((marked) => marked === event)) settleMarks(context);
  } catch (error) {
    note(error);
  }
}

interface Arguments {
  event: string | undefined;
  cwd: string | undefined;
  host: HostName;
}

/** `[hook] [event] [--cwd dir] [--host name]`: the host calls `holdfast hook` or this file directly. */
function readArguments(words: string[]): Arguments {
  const parts = words.flatMap((word) => /^(--(?:cwd|host))=(.*)$/s.exec(word)?.slice(1) ?? [word]);
  const valueOf = (option: string): string | undefined => {
    const at = parts.indexOf(option);
    return at < 0 ? undefined : parts.splice(at, 2)[1];
  };
  const [cwd, name] = [valueOf('--cwd'), valueOf('--host')];
  const event = parts.find((word) => word !== 'hook');
  return { cwd, event, host: isHostName(name) ? name : 'claude' };
}

const given = process.argv.slice(2);
// The client asks for the status line after every message, so it is here and not behind the command line.
if (given[0] === 'statusline') printStatusLine(given.slice(1));
else if (process.env['HOLDFAST'] !== 'off') main(given);
