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
import {
  claudeEnvironment,
  isHostName,
  replyFor,
  type HostName,
} from '../hosts/hosts.ts';
import { handleInHost } from './other-hosts.ts';
import {
  createHookContext,
  type HookContext,
  type HookInput,
  isFromSubagent,
  readInput,
  stringField,
  type Reply,
} from './context.ts';
import { userPromptExpansion } from './expansion.ts';
import { permission, postToolUse, preToolUse } from './tools.ts';
import { sessionEnd, sessionStart, subagentStart } from './session.ts';
import { postCompact } from './compaction.ts';
import { preCompact } from './compaction.ts';
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
  // Both are known better later on; what fails before is logged with what is known then.
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
      // It depends on the command alone, so no project is opened for it.
      write(1, permission(input) ?? '');
      return;
    }
    const { session, raw, cwd: folder } = input;
    const isElsewhere = folder !== null && folder !== process.cwd();
    if (cwd === undefined && isElsewhere)
      root = findProjectRoot(folder, homeFolder());
    const pid = process.env['HOLDFAST_PID'];
    const context = createHookContext(input, {
      root,
      isFolderGiven: cwd !== undefined,
      environment: claudeEnvironment(host, process.env, { session, pid }),
      now,
      note,
    });
    if (event !== 'SessionEnd') context.registry.recordSeen(session);
    const reply =
      host === 'claude' ? handle(context) : handleInHost(context, handle);
    if (typeof loaded !== 'undefined') loaded.kind = kindOf(input, reply);
    const hostEvent = stringField(raw, 'hook_event_name') ?? event;
    write(1, replyFor(host, hostEvent, reply) ?? '');
    if (MARKED_EVENTS.some((marked) => marked === event)) settleMarks(context);
  } catch (error) {
    note(error);
  }
}

function handle(context: HookContext): Reply {
  return handlers.get(context.event)?.(context) ?? null;
}

/** After a compaction the guidance is given in full, which needs most of the code. */
function kindOf({ raw }: HookInput, reply: Reply): string {
  if (reply === null) return 'none';
  return raw['source'] === 'compact' ? 'full' : 'some';
}

/** A log is looked into by a person; when it is longer than this, the newer half stays. */
const MAX_LOG_BYTES = 64_000;
/** A message may have the content of a file in it. */
const MAX_LINE_CHARS = 1_000;

/** Appends to holdfast.log, which `doctor` shows. Without a state folder it writes to stderr, so as not to create one. */
function logFailure(
  root: string | null,
  event: string,
  error: unknown,
  now: Date,
): void {
  const text =
    error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const entry = sanitizeLine(`${now.toISOString()} ${event} ${text}`);
  const line = truncate(entry, MAX_LINE_CHARS);
  const hasFolder = root !== null && isOwnFolder(root, STATE_FOLDER);
  const isLogged = hasFolder && append(join(root, LOG_FILE), line);
  if (!isLogged) write(2, `holdfast: ${line}\n`);
}

function append(path: string, line: string): boolean {
  try {
    const size = appendLine(path, line);
    if (size > MAX_LOG_BYTES) {
      // Not the whole of it is read: a log that came with the repository may be of any size.
      const newer = readEnd(path, MAX_LOG_BYTES / 2) ?? [];
      overwriteFile(path, `${newer.join('\n')}\n`);
    }
    return true;
  } catch {
    // The log cannot be written, for example on a full disk; the caller writes to stderr instead.
    return false;
  }
}

/** `[hook] [event] [--cwd dir] [--host name]`: the host calls `holdfast hook` or this file directly. */
function readArguments(words: string[]): {
  cwd: string | undefined;
  event: string | undefined;
  host: HostName;
} {
  let cwd: string | undefined;
  let host: string | undefined;
  let event: string | undefined;
  // `--cwd=dir` is the same as `--cwd dir`.
  const parts = words.flatMap(
    (word) => /^(--(?:cwd|host))=(.*)$/s.exec(word)?.slice(1) ?? [word],
  );
  for (let at = 0; at < parts.length; at += 1) {
    const word = parts[at];
    const value = parts[at + 1];
    if (word === '--cwd') cwd ??= value;
    else if (word === '--host') host ??= value;
    else if (word !== 'hook') event ??= word;
    const takesValue = word === '--cwd' || word === '--host';
    if (takesValue) at += 1;
  }
  return { cwd, event, host: isHostName(host) ? host : 'claude' };
}

const args = process.argv.slice(2);
// The client asks for the status line after every message, so it is here and not behind the command line.
if (args[0] === 'statusline') printStatusLine(args.slice(1));
else if (process.env['HOLDFAST'] !== 'off') main(args);
