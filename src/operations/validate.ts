import { resolve } from 'node:path';
import { readTextFile } from '../io/read-file.ts';
import { checkTemplate } from '../workflow/template/find-template.ts';
import { projectTemplates, shownPath, TEMPLATE_FOLDER } from '../workflow/template/locations.ts';
import {
  hasSteps,
  type TemplateProblem,
  type TemplateText,
} from '../workflow/template/read-template.ts';
import type { OperationContext } from './open-project.ts';
import { checkStateFile } from './validate-state-file.ts';

const MAX_BYTES = 5_000_000;

export interface Validation {
  checked: number;
  problems: TemplateProblem[];
}

/** Checks files against the schema that fits them; without any named, all state files and templates of the project. */
export function validateFiles(context: OperationContext, files: readonly string[]): Validation {
  const checks =
    files.length > 0
      ? files.map((file) => checkFile(context.root, resolve(context.cwd, file), 'any'))
      : [...checkStateFiles(context), ...checkTemplates(context.root)];
  return { checked: checks.length, problems: checks.flat() };
}

function checkStateFiles({ store, root }: OperationContext): TemplateProblem[][] {
  const { runs, unreadable } = store.list();
  return [...runs, ...unreadable]
    .map(({ path }) => path)
    .toSorted()
    .map((path) => checkFile(root, resolve(root, path), 'state file'));
}

function checkTemplates(root: string): TemplateProblem[][] {
  return projectTemplates(root).map((file) =>
    file.kind === 'text'
      ? checkTemplate(root, file.source)
      : [{ file: file.file, line: 1, message: `it cannot be read: ${file.why}` }],
  );
}

function checkFile(root: string, full: string, kind: 'state file' | 'any'): TemplateProblem[] {
  const file = shownPath(root, full);
  const reading = readTextFile(full, MAX_BYTES);
  if (reading.kind === 'absent') return [{ file, line: 1, message: 'there is no such file' }];
  if (reading.kind === 'refused') {
    return [{ file, line: 1, message: `it cannot be read: ${reading.why}` }];
  }
  const source = { file, text: reading.text };
  if (kind === 'any' && isTemplate(source)) return checkTemplate(root, source);
  return checkStateFile(reading.text).map((problem) => ({ file, ...problem }));
}

/** Judged by its folder or its extension, else by its content. */
function isTemplate(source: TemplateText): boolean {
  return (
    source.file.startsWith(`${TEMPLATE_FOLDER}/`) ||
    /\.ya?ml$/i.test(source.file) ||
    hasSteps(source)
  );
}
