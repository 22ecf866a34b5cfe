import { isAbsolute, join, resolve } from 'node:path';
import { isInside } from '../io/read-file.ts';

/** Where holdfast is installed on this machine. */
export interface InstalledPrograms {
  /** The project. Programs inside it are not trusted. */
  root: string;
  home: string;
  programs: string[];
}

const BLANK = String.raw`[ \t]+`;
const BARE = String.raw`[^\s#;&|<>()$\x60\\"'\x00-\x1F\x7F]`;
const QUOTED = String.raw`'[^']*'|"(?:[^"\\$\x60]|\\["\\])*"`;
const TOKEN = new RegExp(String.raw`(?:${BARE}|${QUOTED})+|${BLANK}|&&|\|\||[;\n]`, 'gy');
const QUIET = /[ \t]2>[ \t]?(?:&1|\/dev\/null)[ \t]*$/;
/** A here-document with a quoted delimiter, in which the shell expands nothing. */
const HERE_DOCUMENT = /[ \t]*<<'(\w+)'\n((?:.*\n)*)\1$/;
/** Longer than any real call of holdfast, and short enough for the patterns. */
const MAX_COMMAND = 300_000;
const NPX_FLAGS = new Set(['-y', '--yes', '--no', '--no-install']);

/** Whether a shell command calls holdfast and nothing else: no expansion, redirection, pipe or further command. */
export function isOwnCommand(command: string, own: InstalledPrograms): boolean {
  if (command.length > MAX_COMMAND) return false;
  const calls = callsIn(withoutHereDocument(command.trim()).replace(QUIET, ''));
  return calls !== null && calls.length > 0 && calls.every((words) => isOwnCall(words, own));
}

/** The shell would run whatever follows the first line that ends the here-document. */
function withoutHereDocument(command: string): string {
  const [whole = '', end = '', text = ''] = HERE_DOCUMENT.exec(command) ?? [];
  return text.split('\n').includes(end) ? command : command.slice(0, command.length - whole.length);
}

/** The words of each call; null if the shell would do more than run them one after the other. */
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
  if (isNode(first, own)) return isHoldfast(rest[0] ?? '', own);
  return isHoldfast(first, own);
}

function isNode(word: string, { root }: InstalledPrograms): boolean {
  return (
    /^(?:(?:[A-Za-z]:)?\/.*\/)?node(?:\.exe)?$/.test(word) &&
    (word.startsWith('node') || !isInside(root, resolve(word)))
  );
}

function isHoldfast(word: string, { home, programs }: InstalledPrograms): boolean {
  const path = word.startsWith('~/') ? join(home, word.slice(2)) : word;
  return isAbsolute(path) && programs.some((program) => resolve(program) === resolve(path));
}
