import { isAbsolute, relative, resolve, sep } from 'node:path';
import { commandFor, isOurHook, portableCommand } from '../install/hook-entry.ts';
import { isInside } from '../io/read-file.ts';
import type { JsonObject } from '../state/json.ts';
import type { Examined } from './types.ts';

const FINDERS = new Set([commandFor('').args[1], portableCommand().args[1]]);

/**
 * Why a registered command is not executed; null where it is. Settings come with a repository as well, and the
 * host runs nothing of it before the user trusts the folder: neither does a command that only looks.
 */
export function reasonNotToRun(
  hook: JsonObject,
  places: Pick<Examined, 'root' | 'config'>,
): string | null {
  if (!isOurHook(hook) || typeof hook.command !== 'string') return 'it is not a hook of holdfast';
  const words = Array.isArray(hook.args)
    ? [hook.command, ...hook.args.filter((word) => typeof word === 'string')]
    : wordsOf(hook.command);
  if (words === null) return 'a shell would read more in it than a program and its arguments';
  const [program = '', ...args] = words;
  if (/(?:^|[\\/])npx(?:\.cmd)?$/.test(program)) return 'npx may fetch it from the network';
  if (!isKnownForm(program, args)) return 'it is in no form that holdfast writes';
  return words.some((word) => liesInProject(word, places))
    ? 'it runs a file of this project'
    : null;
}

export function isNode(program: string): boolean {
  return /^(?:.*[\\/])?node(?:\.exe)?$/.test(program);
}

/** `node -e <finder> <mark> [file]`, `node <file> [hook] [event]` or `holdfast hook [event]`. */
function isKnownForm(program: string, args: readonly string[]): boolean {
  const [first = '', script = '', ...rest] = args;
  if (isNode(program) && first === '-e') return FINDERS.has(script) && rest.length <= 2;
  if (args.some((word) => word.startsWith('-'))) return false;
  const file = isNode(program) ? first : program;
  return /(?:^|[\\/])(?:hook\.cjs|holdfast(?:\.cjs|\.cmd)?)$/.test(file);
}

/** The words of a command line without anything that a shell would expand, run or redirect. */
function wordsOf(line: string): string[] | null {
  if (/[;&|<>`$(){}[\]*?!~#%^\n\r]/.test(line)) return null;
  const words = line.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? [];
  return words.map((word) => word.replace(/^(["'])(.*)\1$/, '$2'));
}

/** A dependency is there because somebody installed it. */
function liesInProject(word: string, { root, config }: Pick<Examined, 'root' | 'config'>): boolean {
  if (!/[\\/]/.test(word) || FINDERS.has(word)) return false;
  const full = isAbsolute(word) ? word : resolve(root, word);
  const isInstalled = relative(root, full).split(sep).includes('node_modules');
  return isInside(root, full) && !isInside(config, full) && !isInstalled;
}
