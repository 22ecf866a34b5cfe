import { commandFor, portableCommand } from '../../install/plan/hook-entry.ts';
import { portableServer } from '../../install/plan/server-entry.ts';
import type { JsonObject } from '../../util/json.ts';

const RUNS_GIVEN_FILE = commandFor('').args[1];
const LOOKS_FOR_HOOK = portableCommand().args[1];
const LOOKS_FOR_SERVER = portableServer().args[1];

const finders = new Map<string | undefined, 'hook.cjs' | 'mcp.cjs'>([
  [LOOKS_FOR_HOOK, 'hook.cjs'],
  [LOOKS_FOR_SERVER, 'mcp.cjs'],
]);

/** A registered command, taken apart where it is in a form that holdfast writes or people write by hand. */
export type HookCommandForm =
  /** Node runs this file. */
  | { kind: 'file'; program: string; file: string }
  /** Node looks for the file in the places where it may be. */
  | { kind: 'finder'; program: string; name: 'hook.cjs' | 'mcp.cjs' }
  | { kind: 'program'; program: string }
  | { kind: 'unknown'; why: string };

export function formOf(hook: JsonObject): HookCommandForm {
  const words = wordsOf(hook);
  if (words === null) return unknown('a shell would read more in it than a program and its words');
  if (process.platform !== 'win32' && words.some((word) => word.includes('\\')))
    return unknown('it has backslashes, which separate no folders here');
  const [program = '', ...args] = words;
  if (/(?:^|[\\/])npx(?:\.cmd)?$/.test(program))
    return unknown('npx may fetch it from the network');
  const [first = '', script = '', _mark = '', file, ...rest] = args;
  if (isNode(program) && first === '-e' && rest.length === 0) {
    if (script === RUNS_GIVEN_FILE && file !== undefined) return { kind: 'file', program, file };
    const name = finders.get(script);
    if (name !== undefined && file === undefined) return { kind: 'finder', program, name };
  }
  if (args.length > 3 || args.some((word) => word.startsWith('-'))) return notOurs;
  if (isNode(program)) return isOurFile(first) ? { kind: 'file', program, file: first } : notOurs;
  return isOurFile(program) ? { kind: 'program', program } : notOurs;
}

export function isNode(program: string): boolean {
  return /^(?:.*[\\/])?node(?:\.exe)?$/.test(program);
}

const notOurs = unknown('it is in no form that holdfast writes');

function unknown(why: string): HookCommandForm {
  return { kind: 'unknown', why };
}

function isOurFile(path: string): boolean {
  return /(?:^|[\\/])(?:hook\.cjs|holdfast(?:\.cjs|\.cmd)?)$/.test(path);
}

/** null where a shell would expand, run or redirect something. */
function wordsOf({ command, args }: JsonObject): string[] | null {
  if (typeof command !== 'string') return [];
  if (Array.isArray(args)) return [command, ...args.filter((word) => typeof word === 'string')];
  if (/[;&|<>`$(){}[\]*?!~#%^\n\r]/.test(command)) return null;
  const words = command.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? [];
  return words.map((word) => word.replace(/^(["'])(.*)\1$/, '$2'));
}
