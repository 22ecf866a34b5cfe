import { readdirSync } from 'node:fs';
import { posix, resolve } from 'node:path';
import type { Expected } from '../errors/expected.ts';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { readTextFile } from '../io/read-file.ts';
import { readStdin } from '../io/stdin.ts';
import { isFolder } from '../operations/open-project.ts';
import { MAX_NAME, parseWorkflowName } from '../operations/start.ts';
import { projectPath } from '../operations/project-path.ts';
import { withProjectRoot } from '../sessions/environment.ts';
import { parseValue } from '../util/parse-value.ts';
import type { Edits } from '../state/edits.ts';
import { PHASE_STATUSES, WORKFLOW_TYPES, type PhaseStatus } from '../state/types.ts';
import type { CommandContext } from './context.ts';

/** The options that `start` and `update` share, as commander passes them. */
export interface DetailOptions {
  read?: string[];
  remind?: string[];
  set?: string[];
  setLocal?: string[];
  artifact?: string[];
}

const MAX_FILE_BYTES = 20_000_000;

export function parseDetails(
  cli: CommandContext,
  options: DetailOptions,
): Pick<Edits, 'read' | 'remind' | 'set' | 'setLocal' | 'artifact'> {
  return {
    read: (options.read ?? []).map((path) => fileToRead(cli, path)),
    remind: (options.remind ?? []).map((text) => nonBlank('--remind', text)),
    set: (options.set ?? []).map((pair) => fact('--set', pair)),
    setLocal: (options.setLocal ?? []).map((pair) => fact('--set-local', pair)),
    artifact: (options.artifact ?? []).map((pair) => {
      const [key, path] = keyAndValue('--artifact', pair);
      return [
        key,
        withProjectRoot(
          cli.root,
          resolve(cli.root, projectPath(cli, nonBlank(`--artifact ${key}=`, path))),
        ),
      ];
    }),
  };
}

/** `@path` relative to the project root. A path with an @ already is; others are relative to the working directory. */
export function readingEntry(cli: CommandContext, given: string): string {
  const path = nonBlank('--read', given);
  return path.startsWith('@') ? path : `@${projectPath(cli, path)}`;
}

const MAX_FILES_NAMED = 3;

/** A folder cannot be opened with the Read tool, so it would stay unread for ever. */
function fileToRead(cli: CommandContext, given: string): string {
  const entry = readingEntry(cli, given);
  const path = entry.slice(1);
  const folder = resolve(cli.root, path);
  if (!isFolder(folder)) return entry;
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((file) => file.isFile() && !file.name.startsWith('.'))
    .map(({ name }) => posix.join(path, name))
    .toSorted();
  const named = files.slice(0, MAX_FILES_NAMED);
  const more = files.length - named.length;
  throw badValue('--read', given, { kind: 'file_to_read', files: named, more });
}

export function warnAboutReading(
  cli: CommandContext,
  entries: { path: string; state: string }[],
): void {
  for (const { path, state } of entries) {
    if (state === 'missing') cli.output.warn(`${path} does not exist yet`);
    if (state === 'outside')
      cli.output.warn(`${path} is outside the project: it is listed, but never loaded`);
  }
}

export function workflowName(given: string): string {
  const name = parseWorkflowName(given);
  if (name !== null) return name;
  throw badValue('<name>', given.slice(0, MAX_NAME), { kind: 'name', max: MAX_NAME });
}

export function workflowType(given: string): string {
  if (WORKFLOW_TYPES.some((type) => type === given)) return given;
  throw badValue('--type', given, { kind: 'one_of', values: WORKFLOW_TYPES });
}

export function phaseNames(given: string): string[] {
  const names = given
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) throw badValue('--phases', given, { kind: 'phase_names' });
  return names;
}

export function phaseNumber(given: string): { current: number; total?: number } {
  const match = /^(\d{1,6})(?:\/(\d{1,6}))?$/.exec(given.trim());
  if (match === null) throw badValue('--phase', given, { kind: 'phase_number' });
  const [, current, total] = match;
  return { current: Number(current), ...(total === undefined ? {} : { total: Number(total) }) };
}

export function phaseStatus(given: string): PhaseStatus {
  const wanted = given
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  const status = PHASE_STATUSES.find((known) => known === wanted);
  if (status === undefined)
    throw badValue('--status', given, { kind: 'one_of', values: PHASE_STATUSES });
  return status;
}

/** `-` means standard input, which must not be empty: that is more often a mistake than a wish. */
export function textOrStdin(option: string, given: string): string {
  if (given !== '-') return given;
  const text = stdinText(option);
  if (text.trim() !== '') return text;
  throw new HoldfastError({
    code: 'unreadable_input',
    what: `${option} -`,
    problem: { kind: 'empty' },
  });
}

/** Whether something is piped in, or could be. */
export function isStdinTerminal(): boolean {
  return process.stdin.isTTY;
}

/** All of standard input. */
export function stdinText(option: string): string {
  if (isStdinTerminal()) {
    throw new HoldfastError({
      code: 'unreadable_input',
      what: `${option} -`,
      problem: { kind: 'nothing_piped' },
    });
  }
  const text = readStdin(MAX_FILE_BYTES);
  if (text !== null) return text;
  throw new HoldfastError({
    code: 'unreadable_input',
    what: `${option} -`,
    problem: { kind: 'larger_than', megabytes: MAX_FILE_BYTES / 1_000_000 },
  });
}

/** The text of a file that the user names; `-` means standard input. */
export function textFile(cli: CommandContext, option: string, given: string): string {
  if (given === '-') return stdinText(option);
  const file = readTextFile(resolve(cli.cwd, given), MAX_FILE_BYTES);
  if (file.kind === 'text') return file.text;
  throw new HoldfastError({
    code: 'unreadable_input',
    what: given,
    problem: file.kind === 'absent' ? { kind: 'no_such_file' } : { kind: 'refused', why: file.why },
  });
}

export function wholeNumber(option: string, given: string): number {
  if (!/^[1-9]\d{0,8}$/.test(given.trim()))
    throw badValue(option, given, { kind: 'whole_number', min: 1 });
  return Number(given);
}

export function nonBlank(option: string, given: string): string {
  const text = given.trim();
  if (text === '' || text === '@') throw badValue(option, given, { kind: 'filled_text' });
  return text;
}

function fact(option: string, pair: string): [key: string, value: unknown] {
  const [key, value] = keyAndValue(option, pair);
  return [key, parseValue(value)];
}

function keyAndValue(option: string, pair: string): [key: string, value: string] {
  const at = pair.indexOf('=');
  if (at < 1) throw badValue(option, pair, { kind: 'key_value' });
  return [pair.slice(0, at).trim(), pair.slice(at + 1)];
}

function badValue(option: string, given: string, expected: Expected): HoldfastError {
  return new HoldfastError({ code: 'bad_value', option, given, expected });
}
