import fse from 'fs-extra';
import { sanitizeLine, sanitizeTitle } from '../../text/sanitize.ts';
import { errorCode } from '../../files/read-file.ts';
import { write } from '../../files/streams.ts';
import { isObject, safeJson } from '../../text/json.ts';
import { makeColors, type Colors } from '../../text/colors.ts';
import type { OperationContext } from '../../sessions/open-project.ts';
import { hostOf, wordsFor, shellEnvironment } from '../../hosts/hosts.ts';
import { canonicalPath } from '../../files/environment.ts';
import { cut, pad, widthOf } from '../../text/terminal-width.ts';

/** stdout is the result, stderr is for people. */
export interface Output {
  json: boolean;
  colors: Colors;
  /** How wide the terminal is, for tables; null if the output does not go to one. */
  columns: number | null;
  result: (data: object, text: string) => void;
  warn: (message: string) => void;
}

export interface CommandContext extends OperationContext {
  output: Output;
  /** Whether Claude Code finds our hooks here; with them it finds the slash commands. */
  hasHooks: () => boolean;
}

export function makeOutput(json: boolean): Output {
  const isShown = !json && isTerminal();
  const warned: string[] = [];
  /** What people are told on standard error stands in the JSON of a run, too. */
  const withWarned = (data: unknown): unknown =>
    isObject(data) && Array.isArray(data['warnings'])
      ? { ...data, warnings: [...data['warnings'], ...warned] }
      : data;
  return {
    json,
    colors: makeColors(isShown, process.env['NO_COLOR']),
    columns: isShown ? process.stdout.columns : null,
    result: (data, text) =>
      print(1, json ? safeJson(withWarned(data)) : hostWords(text.trimEnd())),
    // The message may quote names and values from files.
    warn: (message) => {
      warned.push(message);
      print(2, sanitizeLine(`holdfast: ${hostWords(message)}`));
    },
  };
}

/** In the words of the agent whose shell this is. */
export const hostWords = (text: string): string =>
  wordsFor(hostOf(shellEnvironment(process.env, () => null)), text);

/** process.stdout.isTTY loads the stream modules, so check the descriptor first. */
const isTerminal = (): boolean =>
  (process.platform === 'win32' || isDevice(1)) && process.stdout.isTTY;

function isDevice(file: number): boolean {
  try {
    return fse.fstatSync(file).isCharacterDevice();
  } catch (error) {
    if (errorCode(error) === 'EBADF') return false;
    throw error;
  }
}

/** Written synchronously, so that exiting right afterwards loses nothing, even if stdout is a pipe. */
export function print(stream: 1 | 2, text: string): void {
  write(stream, `${text}\n`);
}

export const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0
    ? ''
    : [title, ...lines.map((line) => `  ${line}`)].join('\n');

export const facts = (
  pairs: readonly (readonly [name: string, value: string])[],
  label: (text: string) => string,
): string =>
  pairs
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${label(pad(name, 8))} ${value}`)
    .join('\n');

export const paragraphs = (parts: readonly string[]): string =>
  parts.filter((part) => part !== '').join('\n\n');

/** How many entries of a long list are shown before the current one, and after it. */
const BEFORE = 3;
const AFTER = 5;

/** The entries around the one at the index `current`; `hidden` says what is left out on either side. */
export function foldAround<T>(
  entries: readonly T[],
  current: number,
  line: (entry: T) => string,
  hidden: (entries: readonly T[], side: 'before' | 'after') => string,
): string[] {
  const at = Math.min(Math.max(current, 0), entries.length - 1);
  // A line that says "1 more" takes as much space as the entry.
  const first = at - BEFORE <= 1 ? 0 : at - BEFORE;
  const end =
    at + AFTER + 2 >= entries.length ? entries.length : at + AFTER + 1;
  const before = entries.slice(0, first);
  const after = entries.slice(end);
  return [
    ...(before.length === 0 ? [] : [`… ${hidden(before, 'before')}`]),
    ...entries.slice(first, end).map(line),
    ...(after.length === 0 ? [] : [`… ${hidden(after, 'after')}`]),
  ];
}

/** A file as people see it: relative to where they are if it is below, with forward slashes, else in full. */
export const shownPath = (cwd: string, file: string): string =>
  canonicalPath(cwd, file) || file;

const GAP = '  ';
const NARROWEST_COLUMN = 8;

/** Rows below their column titles; where they are too wide, the widest columns are cut, with an ellipsis. */
export function table(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  width = Infinity,
): string {
  const lines = [titles, ...rows.map((row) => row.map(sanitizeTitle))];
  const widths = titles.map((_, at) =>
    Math.max(...lines.map((line) => widthOf(line[at] ?? ''))),
  );
  const left = width - GAP.length * (titles.length - 1);
  for (
    let widest = Infinity;
    widths.reduce((sum, own) => sum + own, 0) > left;
  ) {
    widest = Math.max(...widths);
    if (widest <= NARROWEST_COLUMN) break;
    widths[widths.indexOf(widest)] = widest - 1;
  }
  const shown = (cell: string, at: number) =>
    pad(cut(cell, widths[at] ?? 0), widths[at] ?? 0);
  return lines.map((line) => line.map(shown).join(GAP).trimEnd()).join('\n');
}

/** Thrown by a command that has printed everything and ends with a code of its own. */
export class ExitCode extends Error {
  constructor(readonly code: number) {
    super(`exit ${code}`);
  }
}
