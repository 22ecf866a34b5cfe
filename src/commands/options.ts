import { resolve } from 'node:path';
import {
  badValue,
  unreadableInput,
  type HoldfastError,
} from '../text/holdfast-error.ts';
import { isFolder, readTextFile } from '../files/read-file.ts';
import { readStdin } from '../files/streams.ts';
import {
  type OperationContext,
  projectPath,
  type Project,
} from '../sessions/open-project.ts';
import { withProjectRoot } from '../sessions/client-process.ts';
import type { Edits } from '../state/edits.ts';
import { parseValue } from '../text/json.ts';

/** JSON Schema of one argument of a tool. */
export type Schema = {
  [keyword: string]: string | boolean | string[] | Schema | Schema[];
};

/** An option on the command line, or an argument of an MCP tool. */
export interface Option<Value> {
  about: string;
  /** The name of its value in the help; null for a switch. */
  value: string | null;
  schema: Schema;
  isRequired?: true;
  /** Given without a value it is true. */
  isValueOptional?: true;
  isRepeatable?: true;
  isHidden?: true;
  choices?: readonly string[];
  /** The option that it cannot be combined with. */
  conflicts?: string;
  /** `bad` makes the refusal, which names the option as the caller has typed it: `name`. */
  parse: (input: unknown, bad: Bad, name: string) => Value;
}

/** Of a list, `entry` is the one that is bad. */
export type Bad = (expected: string, entry?: string) => HoldfastError;
export type OptionValue<Any> = Any extends Option<infer Value> ? Value : never;

export const NOT_BLANK = 'text that is not blank';

export function parsedOption<Value>(
  about: string,
  value: string,
  parse: (input: string, bad: Bad, name: string) => Value,
): Option<Value | undefined> {
  return {
    about,
    value,
    schema: { type: 'string' },
    parse: (input, bad, name) => {
      if (input === undefined) return undefined;
      if (typeof input !== 'string') throw bad('text');
      return parse(input, bad, name);
    },
  };
}

/** Blank text counts as none: models fill in arguments that they do not need. */
export const textOption = (
  about: string,
  value = 'text',
): Option<string | undefined> =>
  parsedOption(about, value, (input) => input.trim() || undefined);

/** For tools: text as it is given, blank lines at its ends included. */
export const contentOption = (about: string): Option<string | undefined> =>
  parsedOption(about, 'text', (input) =>
    input.trim() === '' ? undefined : input,
  );

/**
 * The command line gives it as text, a tool as a number or, as models do, as text. Blank text is refused: an empty
 * variable on a command line must not turn `--replace` into a note of its own.
 */
export function numberOption(
  about: string,
  value = 'n',
): Option<number | undefined> {
  return {
    about,
    value,
    schema: { type: 'integer' },
    parse: (input, bad) => {
      if (input === undefined) return undefined;
      const text = typeof input === 'number' ? String(input) : input;
      if (typeof text !== 'string' || !WHOLE_NUMBER.test(text.trim()))
        throw bad('a whole number, at least 1');
      return Number(text);
    },
  };
}

/** At most nine digits, such as `12`. */
const WHOLE_NUMBER = /^[1-9]\d{0,8}$/;

export function flag(about: string): Option<boolean> {
  return {
    about,
    value: null,
    schema: { type: 'boolean' },
    parse: (input) => input === true,
  };
}

/** One of a few values, which the parser checks. */
export function choiceOption<const Value extends string>(
  about: string,
  value: string,
  choices: readonly Value[],
): Option<Value | undefined> {
  const parse = (input: string): Value | undefined =>
    choices.find((choice) => choice === input);
  return { ...parsedOption(about, value, parse), choices };
}

export const required = <Value>({
  parse,
  ...option
}: Option<Value | undefined>): Option<Value> => ({
  ...option,
  isRequired: true,
  parse: (input, bad, name) => {
    const value = parse(input, bad, name);
    if (value === undefined) throw bad(NOT_BLANK);
    return value;
  },
});

/** For tools: a list of texts, without those that are blank. */
export const textsOption = (about: string): Option<string[]> => ({
  about,
  value: 'texts',
  schema: { type: 'array', items: { type: 'string' } },
  parse: (input, bad) => {
    if (input === undefined) return [];
    const texts = textsFrom(input);
    if (!Array.isArray(input) || texts.length < input.length)
      throw bad('a list of texts');
    return texts.filter((entry) => entry.trim() !== '');
  },
});

export const textOrStdinOption = (
  about: string,
  value = 'text',
): Option<string | undefined> =>
  parsedOption(about, value, (input, _bad, name) => {
    const text = input === '-' ? stdinText(name) : input;
    // Empty input is more often a mistake than a wish.
    const hint =
      'check the command before the pipe, or give the text in place of the -; nothing was changed';
    if (input === '-' && text.trim() === '')
      throw unreadableInput(`${name} -`, 'standard input is empty', hint);
    return text;
  });

export function listOption(about: string, value = 'text'): Option<string[]> {
  return {
    about,
    value,
    schema: { type: 'array', items: { type: 'string' } },
    isRepeatable: true,
    parse: (input, bad) =>
      textsFrom(input).map((entry) => {
        if (/^@?$/.test(entry.trim())) throw bad(NOT_BLANK, entry);
        return entry.trim();
      }),
  };
}

function textsFrom(input: unknown): string[] {
  return Array.isArray(input)
    ? input.filter((entry) => typeof entry === 'string')
    : [];
}

export function pairsOption(
  about: string,
  value = 'key=value',
): Option<[string, string][]> {
  const list = listOption(about, value);
  return {
    ...list,
    parse: (input, bad, name) =>
      list.parse(input, bad, name).map((pair) => {
        const at = pair.indexOf('=');
        if (at < 1) throw bad('key=value', pair);
        return [pair.slice(0, at).trim(), pair.slice(at + 1)];
      }),
  };
}

export function namesFrom(input: string, bad: Bad): string[] {
  const names = input
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0)
    throw bad('names separated by commas, such as "Design,Build,Ship"');
  return names;
}

/** What `start` and `update` both take. */
export const DETAILS = {
  read: listOption('a file that must be read (repeatable)', 'path'),
  remind: listOption('a rule that must survive compaction (repeatable)'),
  set: pairsOption(
    'a fact; at the start also an input of the template (repeatable)',
  ),
  setLocal: pairsOption('a fact that `sync` never sends (repeatable)'),
  artifact: pairsOption('a named file of the run (repeatable)', 'key=path'),
};

export type Details = {
  [Key in keyof typeof DETAILS]: OptionValue<(typeof DETAILS)[Key]>;
};

export const parseDetails = (
  context: OperationContext,
  { read, remind, set, setLocal, artifact }: Details,
): Pick<Edits, keyof Details> => ({
  read: read.map((path) => fileToRead(context, path)),
  remind,
  set: factsFrom(set),
  setLocal: factsFrom(setLocal),
  artifact: artifact.map(([key, path]) => {
    if (path.trim() === '')
      throw badValue(`--artifact ${key}=`, path, NOT_BLANK);
    const full = resolve(context.root, projectPath(context, path.trim()));
    return [key, withProjectRoot(context.root, full)];
  }),
});

export const factsFrom = (
  pairs: readonly [string, string][],
): [string, unknown][] => pairs.map(([key, value]) => [key, parseValue(value)]);

/** `@path` relative to the project root. A path with an @ already is; others are relative to the working directory. */
export const readingEntry = (
  context: OperationContext,
  path: string,
): string =>
  /^@(?!\{project_root\})/.test(path)
    ? path
    : `@${projectPath(context, path.replace(/^@/, ''))}`;

/** A folder cannot be opened with the Read tool, so it would stay unread for ever. */
function fileToRead(context: OperationContext, path: string): string {
  const entry = readingEntry(context, path);
  if (isFolder(resolve(context.root, entry.slice(1))))
    throw badValue(
      '--read',
      path,
      'a file, and this is a folder: name its files',
    );
  return entry;
}

const MAX_FILE_BYTES = 20_000_000;

export const isStdinTerminal = (): boolean => process.stdin.isTTY;

export function stdinText(option: string): string {
  const hint =
    'pipe the text into the command, or give it in place of the -; nothing was changed';
  if (isStdinTerminal())
    throw unreadableInput(`${option} -`, 'nothing is piped in', hint);
  const text = readStdin(MAX_FILE_BYTES);
  if (text === null)
    throw unreadableInput(`${option} -`, largerThan(MAX_FILE_BYTES));
  return text;
}

const largerThan = (bytes: number): string =>
  `it is larger than ${bytes / 1_000_000} MB`;

export const textFile = (
  { cwd }: Project,
  option: string,
  typed: string,
): string =>
  typed === '-'
    ? stdinText(option)
    : fileText(resolve(cwd, typed), typed, MAX_FILE_BYTES);

/** `typed` is the path as the user has typed it. */
export function fileText(
  path: string,
  typed: string,
  maxBytes: number,
): string {
  const file = readTextFile(path, maxBytes);
  if (file.kind === 'text') return file.text;
  const why = file.kind === 'absent' ? 'there is no such file' : file.why;
  throw unreadableInput(
    typed,
    why === 'too large' ? largerThan(maxBytes) : why,
  );
}
