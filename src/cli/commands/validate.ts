import { relative, resolve, sep } from 'node:path';
import { HoldfastError } from '../../errors.ts';
import { readTextFile } from '../../io/read-file.ts';
import { checkStateFile, type Problem } from '../../validate/state-file.ts';
import type { Cli } from '../context.ts';
import { counted } from '../../guidance/words.ts';

const MAX_BYTES = 5_000_000;

/** State files against their schema; strict where reading is liberal. */
export function validate(cli: Cli, given: string[]): void {
  const files =
    given.length > 0 ? given.map((file) => resolve(cli.cwd, file)) : everyStateFile(cli);
  const problems = files.flatMap((file) =>
    check(file).map((problem) => ({ file: shown(cli, file), ...problem })),
  );
  if (problems.length === 0) {
    const text =
      files.length === 0
        ? 'No state files here.'
        : `${counted(files.length, 'file')} checked, no problem found.`;
    cli.output.result({ checked: files.length, problems }, text);
    return;
  }
  const lines = problems.map(({ file, line, message }) => `${file}:${line}: ${message}`);
  if (!cli.output.json) cli.output.result({}, lines.join('\n'));
  throw new HoldfastError(
    { code: 'invalid_files', problems: problems.length },
    { checked: files.length, problems },
  );
}

function everyStateFile(cli: Cli): string[] {
  const { runs, unreadable } = cli.store.list();
  return [...runs, ...unreadable].map(({ path }) => resolve(cli.root, path)).toSorted();
}

function check(file: string): Problem[] {
  const reading = readTextFile(file, MAX_BYTES);
  if (reading.kind === 'absent') return [{ line: 1, message: 'there is no such file' }];
  if (reading.kind === 'refused')
    return [{ line: 1, message: `it cannot be read: ${reading.why}` }];
  return checkStateFile(reading.text);
}

function shown(cli: Cli, file: string): string {
  const path = relative(cli.cwd, file);
  return path.startsWith('..') ? file : path.split(sep).join('/');
}
