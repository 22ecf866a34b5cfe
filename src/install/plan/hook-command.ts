import { existsSync } from 'node:fs';
import { isObject, type JsonObject } from '../../util/json.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { locatorScript, locationsOf, scriptLocations } from './locate-script.ts';
import { portableServer } from './server-entry.ts';

/** What the client starts for an event: a line for a shell, or a program with its arguments. */
export interface HookProgram {
  command: string;
  args?: string[];
}

export type HookCommand = (event: string) => HookProgram;

/** An argument by which `init` and `uninstall` recognise their hooks that need no shell. */
const HOOK_MARK = 'holdfast-hook';

/** The client shows the command to the user, so it must stay readable. */
const MAX_LINE = 160;
const LONGEST_EVENT = 'UserPromptSubmit';

/** Silent if the file is missing: for a missing program or script the client would show an error at every hook. */
const RUN_GIVEN_FILE = 'try{require(process.argv.splice(1)[1])}catch{}';

const RUN_FOUND_FILE = `try{${locatorScript('hook.cjs')}x&&require(x)}catch{}`;

/** The client replaces it with the folder of the plugin, in hooks, commands and skills alike. */
export const PLUGIN_ROOT = '${CLAUDE_PLUGIN_ROOT}';

/** A shell runs bin/hook.sh, which starts Node only if there is something to do. Silent if the script is gone. */
export function commandFor(script: string): HookCommand {
  const word = shellQuote(/^[A-Za-z]:\\/.test(script) ? script.replaceAll('\\', '/') : script);
  const isReadable = lineFor(word, LONGEST_EVENT).length <= MAX_LINE;
  return (event) => ({ command: isReadable ? lineFor(word, event) : portableLine(event) });
}

/** For the plugin and for a clone of this repository: the client tells their folder. */
export function commandBelow(folder: string): HookCommand {
  return (event) => ({ command: lineFor(`"${folder}/bin/hook.sh"`, event) });
}

/**
 * For settings that are committed: the user's own copy, else the dependency of the project or, in a monorepo, of a
 * folder so many levels above it.
 */
export function portableCommand(levels = 0): HookCommand {
  return (event) => ({ command: portableLine(event, levels) });
}

/** A shell that searched all folders above would need a longer line. */
export const MAX_LEVELS = 3;

/** For Windows without a POSIX shell. */
export function shelllessCommand(hookFile: string, node = 'node'): HookCommand {
  return () => ({ command: node, args: ['-e', RUN_GIVEN_FILE, HOOK_MARK, hookFile] });
}

export function portableShelllessCommand(): HookCommand {
  return () => ({ command: 'node', args: ['-e', RUN_FOUND_FILE, HOOK_MARK] });
}

/** The shell that the client has started runs the script itself: another one would take as long as the script. */
function lineFor(word: string, event: string): string {
  return `e=${event}; f=${word}; [ -r "$f" ] && . "$f"; :`;
}

function portableLine(event: string, levels = 0): string {
  return `e=${event}; ${search(levels, '[ ! -r "$f" ] || . "$f"')}`;
}

/** As they were registered before. */
function formerPortableLine(event: string, levels: number): string {
  return search(levels, `[ ! -f "$f" ] || exec sh "$f" ${event}`);
}

function search(levels: number, runIfThere: string): string {
  const folders = `"$CLAUDE_CONFIG_DIR" ~/.claude "$CLAUDE_PROJECT_DIR/${'../'.repeat(levels)}node_modules"`;
  const line = `for d in ${folders}; do f=$d/holdfast/bin/hook.sh; ${runIfThere}; done`;
  // Fewer spaces make up for the dots.
  return levels === 0 ? line : line.replaceAll('; ', ';').replace(' || ', '||');
}

/** A folder that the client tells, a quoted path, or one that needs no quotes: see `shellQuote`. */
const WORD =
  /"(?:\$\{?CLAUDE_(?:PLUGIN_ROOT|PROJECT_DIR)\}?)?[^"$`\\\n]*"|'(?:[^'\n]|'\\'')*'|[\w@%+=:,./-]+/;
const LINE = new RegExp(
  String.raw`^(?:e=[A-Za-z]+; f=(${WORD.source}); \[ -r "\$f" \] && \. "\$f"; :|f=(${WORD.source}); \[ -f "\$f" \] && exec sh "\$f" [A-Za-z]+; :)$`,
);

/** The script that a line of ours runs, as it is written without quotes, or that it looks for one. */
function parseLine(command: string): { script: string } | { levels: number } | null {
  const event = /^e=([A-Za-z]+);|exec sh "\$f" ([A-Za-z]+); ?done$/.exec(command);
  if (event !== null) {
    const name = event[1] ?? event[2] ?? '';
    for (let levels = 0; levels <= MAX_LEVELS; levels += 1) {
      const forms = [portableLine(name, levels), formerPortableLine(name, levels)];
      if (forms.includes(command)) return { levels };
    }
  }
  const [, own, former] = LINE.exec(command) ?? [];
  const word = own ?? former;
  if (word === undefined) return null;
  const script = word.startsWith('"')
    ? word.slice(1, -1)
    : word.startsWith("'")
      ? word.slice(1, -1).replaceAll(`'\\''`, `'`)
      : word;
  return SCRIPT.test(script) ? { script } : null;
}

const HOLDFAST = /(?:^|[\\/])holdfast(?:\.cjs|\.cmd)?$/;
const SCRIPT = /[\\/]bin[\\/]hook\.sh$/;
const HOOK_FILE = /(?:^|[\\/])hook\.cjs$/;
const INSTALLED_HOOK_FILE = /(?:^|[\\/])holdfast[\\/]dist[\\/]hook\.cjs$/;
const STARTER = /(?:^|[\\/])(node|npx)(?:\.exe|\.cmd)?$/;

/**
 * Whether holdfast registered this hook, in this or an older form, or a user did by hand. A script of the user that
 * calls holdfast belongs to the user.
 */
export function isOurHook(hook: unknown): hook is JsonObject {
  if (!isObject(hook) || typeof hook['command'] !== 'string') return false;
  if (!Array.isArray(hook['args']) && parseLine(hook['command']) !== null) return true;
  const words = wordsOf(hook);
  return (Array.isArray(hook['args']) && words.slice(1).includes(HOOK_MARK)) || isOurCommand(words);
}

/** `holdfast hook`, `npx -y holdfast hook`, `node …/holdfast.cjs hook PreCompact`, `node …/holdfast/dist/hook.cjs`. */
function isOurCommand(words: readonly string[]): boolean {
  const [first = '', ...others] = words;
  const starter = STARTER.exec(first)?.[1];
  const from = others.findIndex((word) => !word.startsWith('-'));
  const [program = '', ...rest] = starter === undefined ? words : others.slice(Math.max(from, 0));
  const isHoldfast =
    HOLDFAST.test(program) || (starter === 'npx' && /^holdfast@[^\s/]+$/.test(program));
  if (isHoldfast) return rest[0] === 'hook' && isAtMostAnEvent(rest.slice(1));
  return INSTALLED_HOOK_FILE.test(program) && isAtMostAnEvent(rest);
}

function isAtMostAnEvent(words: readonly string[]): boolean {
  return words.length <= 1 && words.every((word) => /^[A-Za-z]+$/.test(word));
}

/** What a registered command starts, as far as that is certain. */
export type HookCommandForm =
  /** Node runs this file. */
  | { kind: 'file'; program: string; file: string }
  /** Node searches the known locations for the file. */
  | { kind: 'finder'; program: string; name: 'hook.cjs' | 'mcp.cjs' }
  /** A shell runs this script. */
  | { kind: 'script'; program: string; file: string }
  /** A shell runs the first script in the known locations. */
  | { kind: 'script'; program: string; file: null; levels: number }
  | { kind: 'program'; program: string }
  | { kind: 'unknown'; why: UnknownCommand };

/** Why it is not certain what a command starts. */
export type UnknownCommand = 'variable' | 'shell_syntax' | 'backslashes' | 'npx' | 'other_form';

/** Takes apart the command of a hook or of the MCP server. */
export function parseHookCommand(hook: JsonObject): HookCommandForm {
  const line =
    typeof hook['command'] === 'string' && !Array.isArray(hook['args'])
      ? parseLine(hook['command'])
      : null;
  if (line !== null && 'levels' in line)
    return { kind: 'script', program: 'sh', file: null, ...line };
  if (line !== null)
    return line.script.includes('$')
      ? unknown('variable')
      : { kind: 'script', program: 'sh', file: line.script };
  if (isShellScript(hook)) return unknown('shell_syntax');
  const words = wordsOf(hook);
  if (process.platform !== 'win32' && words.some((word) => word.includes('\\')))
    return unknown('backslashes');
  const [program = '', ...args] = words;
  if (STARTER.exec(program)?.[1] === 'npx') return unknown('npx');
  const [first = '', script = '', _mark = '', file, ...rest] = args;
  if (isNode(program) && first === '-e' && rest.length === 0) {
    if (script === RUN_GIVEN_FILE && file !== undefined) return { kind: 'file', program, file };
    const name = FINDERS.get(script);
    if (name !== undefined && file === undefined) return { kind: 'finder', program, name };
  }
  if (args.length > 3 || args.some((word) => word.startsWith('-'))) return NOT_OURS;
  if (isNode(program)) return isOurFile(first) ? { kind: 'file', program, file: first } : NOT_OURS;
  return isOurFile(program) ? { kind: 'program', program } : NOT_OURS;
}

const FINDERS = new Map<string | undefined, 'hook.cjs' | 'mcp.cjs'>([
  [RUN_FOUND_FILE, 'hook.cjs'],
  [portableServer().args[1], 'mcp.cjs'],
]);

/** The file that a command runs, whether it exists or not; null if no file is named or found. */
export function fileOfCommand(
  form: HookCommandForm,
  places: { root: string; config: string },
): string | null {
  if (form.kind === 'file') return form.file;
  if (form.kind === 'script') {
    if (form.file !== null) return form.file;
    return scriptLocations(places, form.levels).find((path) => existsSync(path)) ?? null;
  }
  if (form.kind !== 'finder') return null;
  return locationsOf(form.name, places).find((path) => existsSync(path)) ?? null;
}

export function isNode(program: string): boolean {
  return /^(?:.*[\\/])?node(?:\.exe)?$/.test(program);
}

const NOT_OURS = unknown('other_form');

function unknown(why: UnknownCommand): HookCommandForm {
  return { kind: 'unknown', why };
}

function isOurFile(path: string): boolean {
  return HOLDFAST.test(path) || HOOK_FILE.test(path);
}

/** Whether a shell would expand, run or redirect something in it. */
function isShellScript({ command, args }: JsonObject): boolean {
  return (
    typeof command === 'string' &&
    !Array.isArray(args) &&
    /[;&|<>`$(){}[\]*?!~#%^\n\r]/.test(command)
  );
}

/** Program and arguments. Only quotes are understood; nothing that holdfast writes has more for a shell to read. */
function wordsOf({ command, args }: JsonObject): string[] {
  if (typeof command !== 'string') return [];
  if (Array.isArray(args)) return [command, ...args.filter((word) => typeof word === 'string')];
  const words = command.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) => word.replaceAll(/["']/g, ''));
}
