import { join } from 'node:path';
import { appendLine, overwriteFile } from '../files/atomic-write.ts';
import { readEnd } from '../files/read-file.ts';
import { LOG_FILE, STATE_FOLDER } from '../state/paths.ts';
import { isOwnFolder, MARKED_EVENTS } from '../state/store/state-folder.ts';
import { sanitizeLine, truncate } from '../text/sanitize.ts';
import {
  currentTime,
  findProjectRoot,
  homeFolder,
} from '../files/environment.ts';
import { write } from '../files/streams.ts';
import { claudeEnvironment, isHostName, replyFor } from '../hosts/hosts.ts';
import { handleInHost } from './other-hosts.ts';
import {
  createHookContext,
  type HookContext,
  isFromSubagent,
  readInput,
  stringField,
  type Reply,
} from './context.ts';
import { userPromptExpansion } from './expansion.ts';
import { permission, postToolUse, preToolUse } from './tools.ts';
import {
  postCompact,
  preCompact,
  sessionEnd,
  sessionStart,
  subagentStart,
} from './session.ts';
import { printStatusLine } from './status-line.ts';
import { settleMarks, userPromptSubmit } from './wake.ts';

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
  ['UserPromptExpansion', userPromptExpansion],
  ['PreToolUse', preToolUse],
]);

/** As bin/hook.sh names the entry that decides about calls of holdfast. */
const PERMISSION = 'Permission';
/** A sub-agent may call holdfast as its parent may, and is told of the run. */
const OF_SUBAGENTS = new Set([PERMISSION, 'PreToolUse', 'SubagentStart']);

/** Of bin/holdfast.cjs, which is told what kind of call it was: those of one kind run much the same code. */
declare const loaded: { kind?: string } | undefined;

/** The only place that catches everything: a failing hook must not disturb the host, so it logs and replies nothing. */
function main(words: string[]): void {
  const { cwd, event: named, host } = readArguments(words);
  const now = currentTime();
  let event = named ?? 'hook';
  let root: string | null = null;
  const note = (problem: unknown): void =>
    logFailure(root, event, problem, now);
  try {
    root = findProjectRoot(cwd ?? process.cwd(), homeFolder());
    const input = readInput(named, host);
    ({ event } = input);
    if (isFromSubagent(input) && !OF_SUBAGENTS.has(event)) return;
    if (event === PERMISSION) {
      write(1, permission(input) ?? '');
      return;
    }
    if (cwd === undefined && input.cwd !== null && input.cwd !== process.cwd())
      root = findProjectRoot(input.cwd, homeFolder());
    const { session } = input;
    const pid = process.env['HOLDFAST_PID'];
    const environment = claudeEnvironment(host, process.env, { session, pid });
    const options = {
      root,
      isFolderGiven: cwd !== undefined,
      environment,
      now,
      note,
    };
    const context = createHookContext(input, options);
    if (event !== 'SessionEnd') context.registry.recordSeen(session);
    const handle = (call: HookContext): Reply =>
      handlers.get(call.event)?.(call) ?? null;
    const reply =
      host === 'claude' ? handle(context) : handleInHost(context, handle);
    if (typeof loaded !== 'undefined')
      loaded.kind =
        reply === null
          ? 'none'
          : input.raw['source'] === 'compact'
            ? 'full'
            : 'some';
    write(
      1,
      replyFor(
        host,
        stringField(input.raw, 'hook_event_name') ?? event,
        reply,
      ) ?? '',
    );
    if (MARKED_EVENTS.some((marked) => marked === event)) settleMarks(context);
  } catch (error) {
    note(error);
  }
}

const MAX_BYTES = 64_000;
const MAX_LINE = 1_000;

/** Appends to holdfast.log, which `doctor` shows. Without a state folder it writes to stderr, so as not to create one. */
function logFailure(
  root: string | null,
  event: string,
  error: unknown,
  now: Date,
): void {
  const text =
    error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const line = truncate(
    sanitizeLine(`${now.toISOString()} ${event} ${text}`),
    MAX_LINE,
  );
  if (
    root === null ||
    !isOwnFolder(root, STATE_FOLDER) ||
    !append(join(root, LOG_FILE), line)
  ) {
    write(2, `holdfast: ${line}\n`);
  }
}

function append(path: string, line: string): boolean {
  try {
    const size = appendLine(path, line);
    // Not the whole of it is read: a log that came with the repository may be of any size.
    if (size > MAX_BYTES)
      overwriteFile(
        path,
        `${(readEnd(path, MAX_BYTES / 2) ?? []).join('\n')}\n`,
      );
    return true;
  } catch {
    // The log cannot be written, for example on a full disk; the caller writes to stderr instead.
    return false;
  }
}

/** `[hook] [event] [--cwd dir] [--host name]`: the host calls `holdfast hook` or this file directly. */
function readArguments(words: string[]) {
  const parts = words.flatMap(
    (word) => /^(--(?:cwd|host))=(.*)$/s.exec(word)?.slice(1) ?? [word],
  );
  const valueOf = (option: string): string | undefined => {
    const at = parts.indexOf(option);
    return at < 0 ? undefined : parts.splice(at, 2)[1];
  };
  const [cwd, name] = [valueOf('--cwd'), valueOf('--host')];
  const event = parts.find((word) => word !== 'hook');
  return { cwd, event, host: isHostName(name) ? name : ('claude' as const) };
}

const args = process.argv.slice(2);
// The client asks for the status line after every message, so it is here and not behind the command line.
if (args[0] === 'statusline') printStatusLine(args.slice(1));
else if (process.env['HOLDFAST'] !== 'off') main(args);
