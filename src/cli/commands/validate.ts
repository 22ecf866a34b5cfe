import { relative, resolve, sep } from 'node:path';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { pluralize } from '../../util/relative-time.ts';
import { readTextFile } from '../../io/read-file.ts';
import { checkTemplate } from '../../workflow/template/find-template.ts';
import { projectTemplates, shownPath, TEMPLATE_FOLDER } from '../../workflow/template/locations.ts';
import {
  hasSteps,
  type TemplateProblem,
  type TemplateText,
} from '../../workflow/template/read-template.ts';
import { checkStateFile } from '../../operations/validate-state-file.ts';
import type { CommandContext } from '../context.ts';

const MAX_BYTES = 5_000_000;

/** State files and templates against their schemas; strict where reading is liberal. */
export function validate(cli: CommandContext, given: string[]): void {
  const checks =
    given.length > 0
      ? given.map((file) => checkFile(cli, resolve(cli.cwd, file), 'either'))
      : [...everyStateFile(cli), ...everyTemplate(cli)];
  const problems = checks
    .flat()
    .map((problem) => ({ ...problem, file: shown(cli, resolve(cli.root, problem.file)) }));
  if (problems.length === 0) {
    const text =
      checks.length === 0
        ? 'No state files and no templates here.'
        : `${pluralize(checks.length, 'file')} checked, no problem found.`;
    cli.output.result({ checked: checks.length, problems }, text);
    return;
  }
  const lines = problems.map(
    ({ file, line, message }) => `${sanitizeLine(file)}:${line}: ${message}`,
  );
  if (!cli.output.json) cli.output.result({}, lines.join('\n'));
  throw new HoldfastError({ code: 'invalid_files', checked: checks.length, problems });
}

function everyStateFile(cli: CommandContext): TemplateProblem[][] {
  const { runs, unreadable } = cli.store.list();
  return [...runs, ...unreadable]
    .map(({ path }) => path)
    .toSorted()
    .map((path) => checkFile(cli, resolve(cli.root, path), 'state file'));
}

function everyTemplate(cli: CommandContext): TemplateProblem[][] {
  return projectTemplates(cli.root).map((file) =>
    file.kind === 'text'
      ? checkTemplate(cli.root, file.source)
      : [{ file: file.file, line: 1, message: `it cannot be read: ${file.why}` }],
  );
}

function checkFile(
  cli: CommandContext,
  full: string,
  kind: 'state file' | 'either',
): TemplateProblem[] {
  const file = shownPath(cli.root, full);
  const reading = readTextFile(full, MAX_BYTES);
  if (reading.kind === 'absent') return [{ file, line: 1, message: 'there is no such file' }];
  if (reading.kind === 'refused') {
    return [{ file, line: 1, message: `it cannot be read: ${reading.why}` }];
  }
  const source = { file, text: reading.text };
  if (kind === 'either' && isTemplate(source)) return checkTemplate(cli.root, source);
  return checkStateFile(reading.text).map((problem) => ({ file, ...problem }));
}

/** By its place or its kind, else by what is in it. */
function isTemplate(source: TemplateText): boolean {
  return (
    source.file.startsWith(`${TEMPLATE_FOLDER}/`) ||
    /\.ya?ml$/i.test(source.file) ||
    hasSteps(source)
  );
}

function shown(cli: CommandContext, file: string): string {
  const path = relative(cli.cwd, file);
  return path.startsWith('..') ? file : path.split(sep).join('/');
}
