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
const MAX_LINE = 160;
const LONGEST_EVENT = 'UserPromptSubmit';

/** The client replaces it with the folder of the plugin, in hooks, commands and skills alike. */
export const PLUGIN_ROOT = '${CLAUDE_PLUGIN_ROOT}';

/** A shell runs bin/hook.sh, which starts Node only if there is something to do. Silent if the script is gone. */
export function commandFor(script: string): HookCommand {
  const word = shellQuote(
    /^[A-Za-z]:\\/.test(script) ? script.replaceAll('\\', '/') : script,
  );
  const isReadable = lineFor(word, LONGEST_EVENT).length <= MAX_LINE;
  return (event) => (isReadable ? lineFor(word, event) : portableLine(event));
}

/** For the plugin and for a clone of this repository: the client tells their folder. */
export const commandBelow =
  (folder: string): HookCommand =>
  (event) =>
    lineFor(`"${folder}/bin/hook.sh"`, event);

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
export const installedCommand = (
  config: string,
  isShared: boolean,
): HookCommand =>
  isShared ? portableLine : commandFor(scriptFile(runtimeFolder(config)));

/** The same line in a host other than Claude Code. */
export const inHost =
  (host: string, command: HookCommand): HookCommand =>
  (event) =>
    command(event).replace(/^e=[A-Za-z]+;/, `$& h=${host};`);

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
  return hook['args'] === undefined && parseLine(hook['command']) !== undefined;
}

/** The MCP server as it is registered with the client. */
export type ServerEntry = { type: 'stdio'; command: string; args: string[] };

export const SERVER_NAME = 'holdfast';
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

export const installedServer = (
  config: string,
  isShared: boolean,
): ServerEntry =>
  isShared
    ? portableServer()
    : {
        type: 'stdio',
        command: nodeProgram(),
        args: [programFile(runtimeFolder(config)), 'mcp'],
      };

/** Whether `init` wrote it. An entry that was added by hand belongs to the user. */
export function isOurServer(entry: unknown): boolean {
  if (!isObject(entry) || !Array.isArray(entry['args'])) return false;
  const [program, command, ...rest] = entry['args'];
  if (entry['args'].includes(SERVER_MARK)) return true;
  const isProgram =
    typeof program === 'string' &&
    /[\\/]holdfast[\\/]bin[\\/]holdfast\.cjs$/.test(program);
  return isProgram && command === 'mcp' && rest.length === 0;
}

/** What a command of ours starts, with its file, if one is named or found; null for any other command. */
export function startedProgram(
  { command, args }: JsonObject,
  { root, config }: { root: string; config: string },
): { program: string; file: string | null } | null {
  if (typeof command !== 'string') return null;
  const own = runtimeFolder(config);
  if (!Array.isArray(args)) {
    const line = parseLine(command);
    if (line === undefined) return null;
    const scripts = [own, join(root, 'node_modules', 'holdfast')].map(
      scriptFile,
    );
    const script = line.script?.replace('$CLAUDE_PROJECT_DIR', () => root);
    return { program: 'sh', file: script ?? firstExisting(scripts) };
  }
  const [first = '', second] = args;
  if (!/^(?:.*[\\/])?node(?:\.exe)?$/.test(command)) return null;
  if (first === '-e' && second === RUN_FOUND_SERVER && args.length === 3) {
    const files = [own, ...dependenciesAbove(root)].map((folder) =>
      join(folder, 'dist/mcp.cjs'),
    );
    return { program: command, file: firstExisting(files) };
  }
  // The server is the program with one word; with another one it would change something.
  const isProgram =
    typeof first === 'string' &&
    /[\\/]holdfast\.cjs$/.test(first) &&
    second === 'mcp' &&
    args.length === 2;
  return isProgram ? { program: command, file: first } : null;
}

const firstExisting = (paths: readonly string[]): string | null =>
  paths.find((path) => fse.existsSync(path)) ?? null;

function dependenciesAbove(folder: string): string[] {
  const above =
    dirname(folder) === folder ? [] : dependenciesAbove(dirname(folder));
  return [join(folder, 'node_modules', 'holdfast'), ...above];
}
