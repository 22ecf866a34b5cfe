import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { describeDefect } from '../errors/problems.ts';
import { pluralize } from '../util/relative-time.ts';
import { sanitizeLine } from '../util/sanitize.ts';
import { command } from './command.ts';
import { packageFolder } from './view/installation.ts';
import { shownPath } from './view/layout.ts';

/** Stricter than reading, which accepts anything usable. */
export const validate = command({
  usage: 'validate [files...]',
  about: 'check state files, templates and settings against their schemas (default: all of them)',
  examples: ['holdfast validate', 'holdfast validate .claude/holdfast/workflows/deploy.yaml'],
  agent: 'may',
  run: async (context, { files }) => {
    const { validateFiles } = await import('../operations/validate.ts');
    return validateFiles(context, files);
  },
  show: (cli, { checked, problems: found }) => {
    const problems = found.map((problem) => ({
      ...problem,
      file: shownPath(cli.cwd, resolve(cli.root, problem.file)),
    }));
    if (problems.length === 0) {
      const text =
        checked === 0
          ? 'No state files, no templates and no settings here.'
          : `${pluralize(checked, 'file')} checked, no problems found.`;
      return { data: { checked, problems }, text };
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
  },
});
