import { join, resolve } from 'node:path';
import fse from 'fs-extra';
import { HoldfastError } from '../text/holdfast-error.ts';
import { pluralize } from '../text/relative-time.ts';
import { asWord } from '../text/sanitize.ts';
import { command, type Shown } from './command.ts';
import type { ValidateDocument } from './json/documents.ts';
import { packageFolder } from './view/installation.ts';
import { shownPath } from './view/output.ts';

/** Stricter than reading, which accepts anything usable. */
export const validate = command({
  usage: 'validate [files...]',
  about:
    'check state files, templates and settings against their schemas (default: all of them)',
  examples: [
    'holdfast validate',
    'holdfast validate .claude/holdfast/workflows/deploy.yaml',
  ],
  run: async (cli, { files }): Promise<Shown<ValidateDocument>> => {
    const { validateFiles } = await import('./validate/check-files.ts');
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
      return { data: { checked, problems }, text };
    }
    const lines = problems.map(
      ({ file, line, message }) => `${asWord(file)}:${line}: ${message}`,
    );
    if (!cli.output.json) cli.output.result({}, lines.join('\n'));
    const schemas = join(packageFolder(), 'schemas');
    const formats = fse.existsSync(schemas)
      ? `; ${schemas} describes the formats`
      : '';
    throw new HoldfastError(
      'invalid_files',
      `${pluralize(problems.length, 'problem')} found`,
      {
        hint: `correct what is named above${formats}`,
        data: { checked, problems },
      },
    );
  },
});
