import { isObject, type JsonObject } from '../../util/json.ts';
import { locatorScript } from './locate-script.ts';

/** One of our hooks as it stands in the host's settings. */
export interface HookEntry {
  event: string;
  matcher: string;
  hook: { type: 'command'; command: string; args: string[]; timeout: number };
}

/** In the exec form no shell reads this, so nothing is ever quoted. */
export interface HookCommand {
  command: string;
  args: string[];
}

const MARK = 'holdfast-hook';

/** Silent where the file is gone: with a missing program or script the host would show an error at every hook. */
const RUN_GIVEN_FILE = 'try{require(process.argv.splice(1)[1])}catch{}';

const RUN_FOUND_FILE = `try{${locatorScript('hook.cjs')}x&&require(x)}catch{}`;

export function commandFor(hookFile: string, node = 'node'): HookCommand {
  return { command: node, args: ['-e', RUN_GIVEN_FILE, MARK, hookFile] };
}

export function portableCommand(): HookCommand {
  return { command: 'node', args: ['-e', RUN_FOUND_FILE, MARK] };
}

/** An empty matcher catches the sources of future versions too. The host itself gives SessionEnd 1.5 seconds. */
export function hookEntries(command: HookCommand, isBlocking: boolean): HookEntry[] {
  const entry = (event: string, timeout: number, matcher = ''): HookEntry => ({
    event,
    matcher,
    hook: { type: 'command', ...command, timeout },
  });
  return [
    entry('SessionStart', 15),
    entry('PreCompact', 15),
    entry('PostCompact', 10),
    entry('SessionEnd', 5),
    entry('UserPromptSubmit', 10),
    entry('PostToolUse', 10, 'Read'),
    ...(isBlocking ? [entry('PreToolUse', 10, 'Edit|MultiEdit|Write|NotebookEdit|Bash')] : []),
  ];
}

/** Ours in this or an older form, or written by hand; a wrapper of the user's around it is the user's. */
export function isOurHook(hook: unknown): hook is JsonObject {
  if (!isObject(hook) || typeof hook['command'] !== 'string') return false;
  if (!Array.isArray(hook['args'])) return isOurCommand(shellWords(hook['command']));
  const args = hook['args'].filter((arg) => typeof arg === 'string');
  return args.includes(MARK) || isOurCommand([hook['command'], ...args]);
}

/** `holdfast hook`, `npx -y holdfast hook`, `node …/holdfast.cjs hook PreCompact`, `node …/holdfast/dist/hook.cjs`. */
function isOurCommand(words: readonly string[]): boolean {
  const [first = '', ...others] = words;
  const starter = /(?:^|[\\/])(node|npx)(?:\.exe|\.cmd)?$/.exec(first)?.[1];
  const from = others.findIndex((word) => !word.startsWith('-'));
  const [program = '', ...rest] = starter === undefined ? words : others.slice(Math.max(from, 0));
  if (starter === 'npx' && /^holdfast@[^\s/]+$/.test(program)) return isHookOfOneEvent(rest);
  if (/(?:^|[\\/])holdfast(?:\.cjs|\.cmd)?$/.test(program)) return isHookOfOneEvent(rest);
  return /(?:^|[\\/])holdfast[\\/]dist[\\/]hook\.cjs$/.test(program) && isAtMostAnEvent(rest);
}

function isHookOfOneEvent([name, ...rest]: readonly string[]): boolean {
  return name === 'hook' && isAtMostAnEvent(rest);
}

function isAtMostAnEvent(words: readonly string[]): boolean {
  return words.length <= 1 && words.every((word) => /^[A-Za-z]+$/.test(word));
}

/** As far as they matter here: what a shell would expand or run makes words that none of our forms has. */
function shellWords(line: string): string[] {
  const words = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) => word.replaceAll(/["']/g, ''));
}
