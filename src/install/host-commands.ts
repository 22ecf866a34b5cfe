import { dirname, join } from 'node:path';
import fse from 'fs-extra';
import {
  programFile,
  runtimeFolder,
  scriptFile,
} from '../files/environment.ts';
import { nodeProgram } from '../files/is-executable.ts';
import { isObject, type JsonObject } from '../text/json.ts';
import { shellQuote } from '../text/shell-commands.ts';

/** The line that the shell of the client runs for an event. */
export type HookCommand = (event: string) => string;

/** The client shows the command to the user, so it must stay readable. */
const MAX_LINE_CHARS = 160;
const LONGEST_EVENT = 'UserPromptSubmit';

/** The client replaces it with the folder of the plugin, in hooks, commands and skills alike. */
export const PLUGIN_ROOT = '${CLAUDE_PLUGIN_ROOT}';

/** A shell runs bin/hook.sh, which starts Node only if there is something to do. Silent if the script is gone. */
export function commandFor(script: string): HookCommand {
  // The shell of the client on Windows reads a backslash as an escape.
  const isWindowsPath = /^[A-Za-z]:\\/.test(script);
  const path = isWindowsPath ? script.replaceAll('\\', '/') : script;
  const word = shellQuote(path);
  const isReadable = lineFor(word, LONGEST_EVENT).length <= MAX_LINE_CHARS;
  return (event) => (isReadable ? lineFor(word, event) : portableLine(event));
}

/** For the plugin and for a clone of this repository: the client tells their folder. */
export function commandBelow(folder: string): HookCommand {
  return (event) => lineFor(`"${folder}/bin/hook.sh"`, event);
}

/** The shell that the client has started runs the script itself: another one would take as long as the script. */
const lineFor = (word: string, event: string): string =>
  `e=${event}; f=${word}; [ -r "$f" ] && . "$f"; :`;

/** For settings that are committed: the user's own copy, else the dependency of the project. */
export function portableLine(event: string): string {
  // Codex does not tell its hooks the project, but starts them in it.
  const folders =
    '"$CLAUDE_CONFIG_DIR" ~/.claude "${CLAUDE_PROJECT_DIR-.}/node_modules"';
  return `e=${event}; for d in ${folders}; do f=$d/holdfast/bin/hook.sh; [ ! -r "$f" ]||. "$f"; done`;
}

/** What `init` registers; `isShared`: in settings that are committed. */
export function installedCommand(
  config: string,
  isShared: boolean,
): HookCommand {
  return isShared
    ? portableLine
    : commandFor(scriptFile(runtimeFolder(config)));
}

/** The same line in a host other than Claude Code: `e=Stop; h=codex; f=…`. */
export function inHost(host: string, command: HookCommand): HookCommand {
  return (event) => command(event).replace(/^e=[A-Za-z]+;/, `$& h=${host};`);
}

/** `e=SessionStart; h=codex;` */
const NAMED_HOST = /^(e=[A-Za-z]+;) h=[a-z]+;/;

/** `"${CLAUDE_PLUGIN_ROOT}/bin/hook.sh"`, where the client tells the folder, or `"/home/dev/bin/hook.sh"` */
const DOUBLE_QUOTED =
  /"(?:\$\{?CLAUDE_(?:PLUGIN_ROOT|PROJECT_DIR)\}?)?[^"$`\\\n]*"/;
/** `'/home/dev/it'\''s/bin/hook.sh'` */
const SINGLE_QUOTED = /'(?:[^'\n]|'\\'')*'/;
/** `/home/dev/.claude/holdfast/bin/hook.sh`: what `shellQuote` leaves without quotes. */
const UNQUOTED = /[\w@%+=:,./-]+/;
const WORD = [DOUBLE_QUOTED, SINGLE_QUOTED, UNQUOTED]
  .map(({ source }) => source)
  .join('|');

/** What `lineFor` writes. */
const LINE = new RegExp(
  String.raw`^e=[A-Za-z]+; f=(${WORD}); \[ -r "\$f" \] && \. "\$f"; :$`,
);
const SCRIPT = /[\\/]bin[\\/]hook\.sh$/;

/** The script that a line of ours runs, without quotes; null if the line looks for it, undefined if the line is not ours. */
function parseLine(line: string): { script: string | null } | undefined {
  const command = line.replace(NAMED_HOST, '$1');
  const [, event = ''] = /^e=([A-Za-z]+);/.exec(command) ?? [];
  if (command === portableLine(event)) return { script: null };
  const [, word] = LINE.exec(command) ?? [];
  if (word === undefined) return undefined;
  const script = withoutQuotes(word);
  return SCRIPT.test(script) ? { script } : undefined;
}

function withoutQuotes(word: string): string {
  if (word.startsWith('"')) return word.slice(1, -1);
  if (word.startsWith("'")) return word.slice(1, -1).replaceAll(`'\\''`, `'`);
  return word;
}

/** Whether `init` or the plugin registered this hook. One that calls holdfast in another way belongs to the user. */
export function isOurHook(hook: unknown): hook is JsonObject {
  if (!isObject(hook) || typeof hook['command'] !== 'string') return false;
  return hook['args'] === undefined && parseLine(hook['command']) !== undefined;
}

/** The MCP server as it is registered with the client. */
export interface ServerEntry {
  type: 'stdio';
  command: string;
  args: string[];
}

export const SERVER_NAME = 'holdfast';

/** An argument that the server does not read, by which an entry of ours is known again. */
const SERVER_MARK = 'holdfast-mcp';

/**
 * For an entry that is committed: the user's own copy, else the project's dependency. Committed settings may name code of
 * their project; the settings of a user never do. A missing server is listed by the client as failed, with this message.
 */
const RUN_FOUND_SERVER = [
  "const p=require('path'),v=process.env,h=['holdfast','dist','mcp.cjs'],",
  "f=[p.join(v.CLAUDE_CONFIG_DIR||p.join(require('os').homedir(),'.claude'),...h)];",
  'for(let d=v.CLAUDE_PROJECT_DIR||process.cwd(),u;d!==u;u=d,d=p.dirname(d))',
  "f.push(p.join(d,'node_modules',...h));",
  'process.argv.length=1;',
  "const x=f.find(require('fs').existsSync);",
  "x?require(x):(console.error('holdfast is not installed: npm install holdfast'),process.exit(1))",
].join('');

export function portableServer(): ServerEntry {
  return {
    type: 'stdio',
    command: 'node',
    args: ['-e', RUN_FOUND_SERVER, SERVER_MARK],
  };
}

export function installedServer(
  config: string,
  isShared: boolean,
): ServerEntry {
  if (isShared) return portableServer();
  return {
    type: 'stdio',
    command: nodeProgram(),
    args: [programFile(runtimeFolder(config)), 'mcp'],
  };
}

/** Whether `init` wrote it. An entry that was added by hand belongs to the user. */
export function isOurServer(entry: unknown): boolean {
  if (!isObject(entry) || !Array.isArray(entry['args'])) return false;
  const { args } = entry;
  if (args.includes(SERVER_MARK)) return true;

  const [program, command] = args;
  const isProgram =
    typeof program === 'string' &&
    /[\\/]holdfast[\\/]bin[\\/]holdfast\.cjs$/.test(program);
  return isProgram && command === 'mcp' && args.length === 2;
}

interface StartedProgram {
  program: string;
  /** Null if the command looks for its file, and there is none. */
  file: string | null;
}

/** What a command of ours starts, with its file, if one is named or found; null for any other command. */
export function startedProgram(
  { command, args }: JsonObject,
  places: { root: string; config: string },
): StartedProgram | null {
  if (typeof command !== 'string') return null;
  return Array.isArray(args)
    ? startedByWords(command, args, places)
    : startedByLine(command, places);
}

/** A hook is a line for a shell. */
function startedByLine(
  command: string,
  { root, config }: { root: string; config: string },
): StartedProgram | null {
  const line = parseLine(command);
  if (line === undefined) return null;
  if (line.script !== null) {
    const file = line.script.replace('$CLAUDE_PROJECT_DIR', () => root);
    return { program: 'sh', file };
  }
  const folders = [
    runtimeFolder(config),
    join(root, 'node_modules', 'holdfast'),
  ];
  return { program: 'sh', file: firstExisting(folders.map(scriptFile)) };
}

/** `/usr/bin/node`, `C:\nodejs\node.exe`, `node` */
const NODE = /^(?:.*[\\/])?node(?:\.exe)?$/;

/** An MCP server is a program with its words. */
function startedByWords(
  command: string,
  words: readonly unknown[],
  { root, config }: { root: string; config: string },
): StartedProgram | null {
  if (!NODE.test(command)) return null;
  const [first, second] = words;

  const looksForServer = first === '-e' && second === RUN_FOUND_SERVER;
  if (looksForServer && words.length === 3) {
    const folders = [runtimeFolder(config), ...dependenciesAbove(root)];
    const files = folders.map((folder) => join(folder, 'dist/mcp.cjs'));
    return { program: command, file: firstExisting(files) };
  }

  // The server is the program with one word; with another one it would change something.
  if (typeof first !== 'string' || second !== 'mcp' || words.length !== 2)
    return null;
  const isProgram = /[\\/]holdfast\.cjs$/.test(first);
  return isProgram ? { program: command, file: first } : null;
}

const firstExisting = (paths: readonly string[]): string | null =>
  paths.find((path) => fse.existsSync(path)) ?? null;

/** Where Node would look for holdfast as a dependency, from the folder upwards. */
function dependenciesAbove(folder: string): string[] {
  const here = join(folder, 'node_modules', 'holdfast');
  const parent = dirname(folder);
  return parent === folder ? [here] : [here, ...dependenciesAbove(parent)];
}
