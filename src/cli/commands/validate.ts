import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { describeDefect } from '../../errors/problems.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { pluralize } from '../../util/relative-time.ts';
import { validateFiles } from '../../operations/validate.ts';
import type { CommandContext } from '../context.ts';
import { packageFolder } from '../installation.ts';
import { shownPath } from '../output/shown-path.ts';

/** Stricter than reading, which accepts anything usable. */
export function validate(cli: CommandContext, files: string[]): void {
  const { checked, problems: found } = validateFiles(cli, files);
  const problems = found.map((problem) => ({
    ...problem,
    file: shownPath(cli.cwd, resolve(cli.root, problem.file)),
  }));
  if (problems.length === 0) {
    const text =
      checked === 0
        ? 'No state files, no templates and no settings here.'
        : `${pluralize(checked, 'file')} checked, no problems found.`;
    cli.output.result({ checked, problems }, text);
    return;
  }
  const lines = problems.map(
    ({ file, line, defect }) => `${sanitizeLine(file)}:${line}: ${describeDefect(defect)}`,
  );
  if (!cli.output.json) cli.output.result({}, lines.join('\n'));
  const schemas = join(packageFolder(), 'schemas');
  throw new HoldfastError({
    code: 'invalid_files',
    checked,
    problems,
    schemas: existsSync(schemas) ? schemas : null,
  });
}
