import { isAbsolute, join, resolve } from 'node:path';
import { isInside } from '../io/read-file.ts';

/** Where holdfast lies on this machine. */
export interface InstalledPrograms {
  /** Of the project: a program that lies there may be anything. */
  root: string;
  home: string;
  programs: string[];
}

const BLANK = String.raw`[ \t]+`;
const BARE = String.raw`[^\s#;&|<>()$\x60\\"'\x00-\x1F\x7F]`;
const QUOTED = String.raw`'[^']*'|"(?:[^"\\$\x60]|\\["\\])*"`;
const TOKEN = new RegExp(String.raw`(?:${BARE}|${QUOTED})+|${BLANK}|&&|\|\||[;\n]`, 'gy');
const QUIET = /[ \t]2>[ \t]?(?:&1|\/dev\/null)[ \t]*$/;
/** Text for standard input in which a shell expands nothing. */
const HERE_TEXT = /[ \t]*<<'(\w+)'\n((?:.*\n)*)\1$/;
/** Longer than any call of ours with its text, and as much as patterns take. */
const MAX_COMMAND = 300_000;
const NPX_FLAGS = new Set(['-y', '--yes', '--no', '--no-install']);

/**
 * Whether a shell command calls holdfast and nothing else. Whatever a shell would expand, redirect, pipe or run beside
 * it makes it another command.
 */
export function isOwnCommand(command: string, own: InstalledPrograms): boolean {
  if (command.length > MAX_COMMAND) return false;
  const calls = callsIn(withoutHereText(command.trim()).replace(QUIET, ''));
  return calls !== null && calls.length > 0 && calls.every((words) => isOwnCall(words, own));
}

/** What comes after the first line that ends the text would be run. */
function withoutHereText(command: string): string {
  const [whole = '', end = '', text = ''] = HERE_TEXT.exec(command) ?? [];
  return text.split('\n').includes(end) ? command : command.slice(0, command.length - whole.length);
}

/** The words of each call in a list of them; null where the shell would do more than run them. */
function callsIn(command: string): string[][] | null {
  const tokens = command.match(TOKEN) ?? [];
  if (tokens.join('') !== command) return null;
  const calls: string[][] = [[]];
  for (const token of tokens) {
    if (/^(?:&&|\|\||[;\n])$/.test(token)) calls.push([]);
    else if (!/^[ \t]/.test(token)) calls.at(-1)?.push(unquoted(token));
  }
  return calls.filter((words) => words.length > 0);
}

function unquoted(word: string): string {
  return word.replace(/'([^']*)'|"((?:[^"\\]|\\.)*)"/gs, (_, single?: string, double?: string) =>
    single === undefined ? (double ?? '').replace(/\\(["\\])/g, '$1') : single,
  );
}

/** `holdfast …`, `npx holdfast …`, `node …/bin/holdfast.cjs …`, in the forms that slash commands and the skill use. */
function isOwnCall([first = '', ...rest]: readonly string[], own: InstalledPrograms): boolean {
  if (first === 'holdfast') return true;
  if (first === 'npx') {
    const program = rest.find((word) => !NPX_FLAGS.has(word)) ?? '';
    return /^holdfast(?:@[\w.^~-]+)?$/.test(program);
  }
  if (isNode(first, own)) return isOurs(rest[0] ?? '', own);
  return isOurs(first, own);
}

function isNode(word: string, { root }: InstalledPrograms): boolean {
  return (
    /^(?:(?:[A-Za-z]:)?\/.*\/)?node(?:\.exe)?$/.test(word) &&
    (word.startsWith('node') || !isInside(root, resolve(word)))
  );
}

function isOurs(word: string, { home, programs }: InstalledPrograms): boolean {
  const path = word.startsWith('~/') ? join(home, word.slice(2)) : word;
  return isAbsolute(path) && programs.some((program) => resolve(program) === resolve(path));
}
