import { existsSync } from 'node:fs';
import { delimiter, dirname, join, sep } from 'node:path';
import { isExecutable } from '../files/is-executable.ts';
import { runtimeFolder, scriptFile } from '../files/environment.ts';
import { isObject, type JsonObject } from '../text/json.ts';
import { shellQuote } from '../text/shell-commands.ts';
import type { Scope } from './places.ts';

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

/**
 * For commands that are committed: finds the user's own copy, else the project's dependency. Committed settings may
 * name code of their project; the settings of a user never do.
 */
function locatorScript(file: 'hook.cjs' | 'mcp.cjs'): string {
  return [
    `const p=require('path'),v=process.env,h=['holdfast','dist','${file}'],`,
    "f=[p.join(v.CLAUDE_CONFIG_DIR||p.join(require('os').homedir(),'.claude'),...h)];",
    'for(let d=v.CLAUDE_PROJECT_DIR||process.cwd(),u;d!==u;u=d,d=p.dirname(d))',
    "f.push(p.join(d,'node_modules',...h));",
    'process.argv.length=1;',
    "const x=f.find(require('fs').existsSync);",
  ].join('');
}

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

/** For settings that are committed: the user's own copy, else the dependency of the project. */
export function portableCommand(): HookCommand {
  return (event) => ({ command: portableLine(event) });
}

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

function portableLine(event: string): string {
  // Codex does not tell its hooks the project, but starts them in it.
  const folders = '"$CLAUDE_CONFIG_DIR" ~/.claude "${CLAUDE_PROJECT_DIR-.}/node_modules"';
  return `e=${event}; for d in ${folders}; do f=$d/holdfast/bin/hook.sh; [ ! -r "$f" ]||. "$f"; done`;
}

/** The same line in a host other than Claude Code. */
export function inHost(host: string, command: HookCommand): (event: string) => string {
  return (event) => command(event).command.replace(/^e=[A-Za-z]+;/, `$& h=${host};`);
}

const NAMED_HOST = /^(e=[A-Za-z]+;) h=[a-z]+;/;

/** A folder that the client tells, a quoted path, or one that needs no quotes: see `shellQuote`. */
const WORD =
  /"(?:\$\{?CLAUDE_(?:PLUGIN_ROOT|PROJECT_DIR)\}?)?[^"$`\\\n]*"|'(?:[^'\n]|'\\'')*'|[\w@%+=:,./-]+/;
const LINE = new RegExp(
  String.raw`^e=[A-Za-z]+; f=(${WORD.source}); \[ -r "\$f" \] && \. "\$f"; :$`,
);
const SCRIPT = /[\\/]bin[\\/]hook\.sh$/;

/** The script that a line of ours runs, as it is written without quotes; null if the line looks for it. */
function parseLine(line: string): { script: string | null } | undefined {
  const command = line.replace(NAMED_HOST, '$1');
  const [, event = ''] = /^e=([A-Za-z]+);/.exec(command) ?? [];
  if (command === portableLine(event)) return { script: null };
  const [, word] = LINE.exec(command) ?? [];
  if (word === undefined) return undefined;
  const script = word.startsWith('"')
    ? word.slice(1, -1)
    : word.startsWith("'")
      ? word.slice(1, -1).replaceAll(`'\\''`, `'`)
      : word;
  return SCRIPT.test(script) ? { script } : undefined;
}

/** Whether `init` or the plugin registered this hook. One that calls holdfast in another way belongs to the user. */
export function isOurHook(hook: unknown): hook is JsonObject {
  if (!isObject(hook) || typeof hook['command'] !== 'string') return false;
  return Array.isArray(hook['args'])
    ? hook['args'].includes(HOOK_MARK)
    : parseLine(hook['command']) !== undefined;
}

/** The MCP server as it is registered with the client. */
export interface ServerEntry {
  type: 'stdio';
  command: string;
  args: string[];
}

export const SERVER_NAME = 'holdfast';
const SERVER_MARK = 'holdfast-mcp';

/** Unlike a hook, a missing server should be noticed: the client lists it as failed, with this message. */
const RUN_FOUND_SERVER = [
  locatorScript('mcp.cjs'),
  "x?require(x):(console.error('holdfast is not installed: npm install holdfast'),process.exit(1))",
].join('');

export function serverFor(program: string, node = 'node'): ServerEntry {
  return { type: 'stdio', command: node, args: [program, 'mcp'] };
}

export function portableServer(): ServerEntry {
  return { type: 'stdio', command: 'node', args: ['-e', RUN_FOUND_SERVER, SERVER_MARK] };
}

/** Whether `init` wrote it. An entry that was added by hand belongs to the user. */
export function isOurServer(entry: unknown): boolean {
  if (!isObject(entry) || !Array.isArray(entry['args'])) return false;
  const [program, command, ...rest] = entry['args'];
  if (entry['args'].includes(SERVER_MARK)) return true;
  const isProgram =
    typeof program === 'string' && /[\\/]holdfast[\\/]bin[\\/]holdfast\.cjs$/.test(program);
  return isProgram && command === 'mcp' && rest.length === 0;
}

/** The program that a registered command starts, with its file, if one is named or found; or why that is not certain. */
export type StartedProgram = { program: string; file: string | null } | 'variable' | 'other_form';

/** For the command of a hook or of the MCP server. */
export function startedProgram(
  { command, args }: JsonObject,
  { root, config }: { root: string; config: string },
): StartedProgram {
  if (typeof command !== 'string') return 'other_form';
  const own = runtimeFolder(config);
  if (!Array.isArray(args)) {
    const line = parseLine(command);
    if (line === undefined) return 'other_form';
    if (line.script?.includes('$') === true) return 'variable';
    const scripts = [own, join(root, 'node_modules', 'holdfast')].map(scriptFile);
    return { program: 'sh', file: line.script ?? firstExisting(scripts) };
  }
  const [first, second, _mark, file, ...rest] = args.filter((word) => typeof word === 'string');
  if (!/^(?:.*[\\/])?node(?:\.exe)?$/.test(command) || rest.length > 0) return 'other_form';
  if (first === '-e' && second === RUN_GIVEN_FILE && file !== undefined)
    return { program: command, file };
  const name = first === '-e' && file === undefined ? FINDERS.get(second) : undefined;
  if (name !== undefined) {
    const files = [own, ...dependenciesAbove(root)].map((folder) => join(folder, 'dist', name));
    return { program: command, file: firstExisting(files) };
  }
  // The MCP server runs it with one word.
  const isProgram = first !== undefined && /[\\/]holdfast\.cjs$/.test(first) && args.length === 2;
  return isProgram ? { program: command, file: first } : 'other_form';
}

const FINDERS = new Map<string | undefined, string>([
  [RUN_FOUND_FILE, 'hook.cjs'],
  [RUN_FOUND_SERVER, 'mcp.cjs'],
]);

function firstExisting(paths: readonly string[]): string | null {
  return paths.find((path) => existsSync(path)) ?? null;
}

function dependenciesAbove(folder: string): string[] {
  const above = dirname(folder) === folder ? [] : dependenciesAbove(dirname(folder));
  return [join(folder, 'node_modules', 'holdfast'), ...above];
}

/**
 * How the agent calls holdfast: as replies and guidance write it. bin/hook.sh puts it on the PATH of each session; only
 * where no shell runs that script, skill and slash commands name the program instead.
 */
export function invocationFor(
  scope: Scope,
  {
    node,
    program,
    root,
    hasShell,
  }: { node: string; program: string; root: string; hasShell: boolean },
): string {
  if (hasShell) return 'holdfast';
  if (scope === 'project')
    return existsSync(join(root, 'node_modules', 'holdfast')) ? 'npx holdfast' : 'holdfast';
  return [node, program].map((path) => shellQuote(path.split(sep).join('/'))).join(' ');
}

/** Whether a shell in any project finds it. Folders that npm adds while a script runs do not count. */
export function isOnPath(name: string, search: string | undefined): boolean {
  const endings = process.platform === 'win32' ? ['.cmd', '.exe'] : [''];
  return (search ?? '')
    .split(delimiter)
    .filter(
      (folder) =>
        folder !== '' &&
        !folder.endsWith(join('node_modules', '.bin')) &&
        !folder.includes(`${sep}_npx${sep}`),
    )
    .some((folder) => endings.some((ending) => isExecutable(join(folder, `${name}${ending}`))));
}

/** On Windows the client runs commands in Git Bash if that is installed; the `bash.exe` of Windows itself is not one. */
export function hasPosixShell(): boolean {
  if (process.platform !== 'win32') return true;
  const {
    CLAUDE_CODE_GIT_BASH_PATH: named,
    PATH = '',
    ProgramFiles = 'C:\\Program Files',
  } = process.env;
  if (named !== undefined && named !== '') return existsSync(named);
  const folders = PATH.split(';').filter((folder) => !/system32/i.test(folder) && folder !== '');
  return [join(ProgramFiles, 'Git', 'bin'), ...folders].some((folder) =>
    existsSync(join(folder, 'bash.exe')),
  );
}
