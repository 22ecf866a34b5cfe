import { isObject, sameJson, type JsonObject } from '../text/json.ts';
import { copyValue, removeValue, setMember } from '../text/edit-json.ts';
import { shellQuote } from '../text/shell-commands.ts';
import { programFile, runtimeFolder } from '../files/environment.ts';
import { nodeProgram } from '../files/is-executable.ts';
import { jsonOf } from './hooks.ts';

const KEY = 'statusLine';

/** How the status line starts holdfast. */
export interface StatusLineProgram {
  /** Shell commands that run first; `$d` is the folder that has the runs, or empty. */
  prepare: string;
  /** The program with its first words. */
  start: string;
}

export function programOf(node: string, file: string): StatusLineProgram {
  return { prepare: '', start: `${shellQuote(node)} ${shellQuote(file)}` };
}

/** For settings that are committed: the user's own copy, else the dependency of the project or a folder above it. */
export function portableProgram(): StatusLineProgram {
  const find =
    'h=${CLAUDE_CONFIG_DIR:-$HOME/.claude}/holdfast; e=$d; ' +
    'until [ -d "$h" ] || [ -z "$e" ]; do h=$e/node_modules/holdfast; e=${e%/*}; done; ';
  return { prepare: find, start: 'node "$h/bin/holdfast.cjs"' };
}

/** What `init` installs; `isShared`: in settings that are committed. */
export function installedProgram(
  config: string,
  isShared: boolean,
): StatusLineProgram {
  return isShared
    ? portableProgram()
    : programOf(nodeProgram(), programFile(runtimeFolder(config)));
}

/** The command of the status line that was there before. It runs first, with the same input. */
export interface ChainedCommand {
  command: string;
  /** Whether it stands in another settings file, which ours hides. */
  isInherited: boolean;
}

/** Looks for the folder of the runs in the project and above it. */
const FIND_RUNS =
  'cd "$CLAUDE_PROJECT_DIR" 2>/dev/null; d=$PWD; ' +
  'while [ "$d" ] && [ ! -d "$d/untracked/workflow-state" ]; do d=${d%/*}; done; ';
/** The folder stays when its last run has ended. zsh would end with an error where no file matches. */
const REQUIRE_RUN =
  '[ "$ZSH_VERSION" ] && emulate sh; ' +
  'set -- "$d"/untracked/workflow-state/*/state-*.json; [ -f "$1" ] || d=; ';
const INHERITED = ': inherited; ';
/** Command substitution removes the line break at the end of the input; the dot protects it. */
const KEEP_INPUT = 'i=$(cat; echo .); i=${i%.}; ';
const RUN_CHAINED = 'o=$(printf %s "$i" | sh -c ';
const PRINT_CHAINED = `); [ "$o" ] && printf '%s\\n' "$o"; `;
/** The client blanks a status line that ends with an error, so the last command succeeds. */
const END = ' statusline 2>/dev/null; :';

export function statusLineCommand(
  { prepare, start }: StatusLineProgram,
  chained: ChainedCommand | null,
): string {
  const before = chained === null ? '' : runFirst(chained);
  const input = chained === null ? '' : 'printf %s "$i" | ';
  return `${before}${FIND_RUNS}${REQUIRE_RUN}${prepare}[ "$d" ] && ${input}${start}${END}`;
}

/** Shell commands that run the former command, and keep the input for ours. */
function runFirst({ command, isInherited }: ChainedCommand): string {
  const quotedCommand = `'${command.replaceAll("'", `'\\''`)}'`;
  const mark = isInherited ? INHERITED : '';
  return `${mark}${KEEP_INPUT}${RUN_CHAINED}${quotedCommand}${PRINT_CHAINED}`;
}

/** Whether `init` wrote it. A script of the user that calls `holdfast statusline` belongs to the user. */
export const isOurStatusLine = (
  value: unknown,
): value is JsonObject & { command: string } =>
  isObject(value) &&
  typeof value['command'] === 'string' &&
  value['command'].includes(FIND_RUNS) &&
  value['command'].endsWith(END);

/** The user's own status line in a command that `runFirst` has made, which runs it before ours; null if there is none. */
function chainedIn(command: string): ChainedCommand | null {
  // Whether it stands in another settings file, so that uninstalling must not write it into this one.
  const isInherited = command.startsWith(INHERITED);
  const rest = isInherited ? command.slice(INHERITED.length) : command;
  const lead = KEEP_INPUT + RUN_CHAINED;
  if (!rest.startsWith(lead)) return null;
  const [, word] = QUOTED_WORD.exec(rest.slice(lead.length)) ?? [];
  if (word === undefined) return null;
  return { command: word.replaceAll(`'\\''`, `'`), isInherited };
}

/** `'echo it'\''s'` */
const QUOTED_WORD = /^'((?:[^']|'\\'')*)'/;

/** The value under `statusLine` of a settings file. */
export function statusLineOf(text: string): unknown {
  const json = jsonOf(text);
  return isObject(json) ? json[KEY] : undefined;
}

/** The user's own command in a settings file, whether or not ours runs after it. */
export function ownCommandIn(value: unknown): JsonObject | null {
  if (!isObject(value) || typeof value['command'] !== 'string') return null;
  if (!isOurStatusLine(value)) return value;
  const chained = chainedIn(value['command']);
  return chained === null || chained.isInherited
    ? null
    : { ...value, command: chained.command };
}

/** The client runs the line after each message; a run also changes while it is idle, such as by an approval. */
const REFRESH_SECONDS = 5;

/** `inherited` is the status line of another settings file that would otherwise be shown. */
export function withStatusLine(
  text: string,
  program: StatusLineProgram,
  inherited: JsonObject | null,
): string {
  const present = statusLineOf(text);
  const own = ownCommandIn(present);
  const former = own ?? inherited;
  const chained = former && {
    command: String(former['command']),
    isInherited: own === null,
  };
  const otherMembers = isObject(present) ? present : (inherited ?? {});
  const value = {
    // A line of the user's own is run as often as they have it.
    ...(former === null && { refreshInterval: REFRESH_SECONDS }),
    ...otherMembers,
    type: 'command',
    command: statusLineCommand(program, chained),
  };
  return sameJson(present, value) ? text : setMember(text, [], KEY, value);
}

/**
 * Gives back the user's own status line, byte for byte unless the user has changed something beside our command.
 * `original` is the settings file without ours: null if there was none, undefined if that is unknown.
 */
export function withoutStatusLine(
  text: string,
  original: string | null | undefined,
): string {
  const present = statusLineOf(text);
  if (!isOurStatusLine(present)) return text;
  const own = ownCommandIn(present);

  if (typeof original === 'string') {
    const former = statusLineOf(original);
    const isUnchanged = own === null || sameJson(own, former);
    if (former !== undefined && isUnchanged)
      return copyValue(text, [KEY], original);
    if (former === undefined) return removeValue(text, [KEY]);
  }

  // Where there was no file before ours, there was no status line either.
  if (own === null || original === null) return removeValue(text, [KEY]);
  return setMember(text, [], KEY, own);
}

export function misshapenStatusLine(json: unknown): string | null {
  if (!isObject(json) || json[KEY] === undefined) return null;
  const value = json[KEY];
  return isObject(value) && typeof value['command'] === 'string'
    ? null
    : `"${KEY}"`;
}
