import { basename, dirname, relative, resolve } from 'node:path';
import { canonicalPath } from '../files/environment.ts';
import { expandGlob, readProjectFile, readTextFile, type ReadResult } from '../files/read-file.ts';
import { texts } from './builtin.generated.ts';
import { MAX_TEMPLATE_BYTES } from './parse-yaml.ts';
import type { TemplateText } from './read-template.ts';

export const TEMPLATE_FOLDER = '.claude/holdfast/workflows';
const ENDING = /\.(?:ya?ml|json)$/i;
const MAX_FILES = 200;
const MAX_BYTES_IN_ALL = 10_000_000;
const BUILT_IN = 'built-in:';

export type TemplateFile =
  | { kind: 'text'; file: string; source: TemplateText }
  | { kind: 'unreadable'; file: string; why: string };

export function isPath(nameOrPath: string): boolean {
  return /[/\\]/.test(nameOrPath) || ENDING.test(nameOrPath);
}

export function projectTemplates(root: string): TemplateFile[] {
  let left = MAX_BYTES_IN_ALL;
  return expandGlob(root, `${TEMPLATE_FOLDER}/*`)
    .filter((path) => ENDING.test(path))
    .toSorted()
    .slice(0, MAX_FILES)
    .flatMap((path) => {
      const reading = readProjectFile(root, path, Math.min(left, MAX_TEMPLATE_BYTES));
      if (reading.kind === 'text') left -= reading.text.length;
      return asFile(path, reading);
    });
}

export function builtIn(): TemplateText[] {
  return Object.entries(texts).map(([name, text]) => ({
    file: BUILT_IN + name.replace(/\.yaml$/, ''),
    text,
  }));
}

export function isBuiltIn(file: string): boolean {
  return file.startsWith(BUILT_IN);
}

/** The name that a file gives to its template. */
export function stemOf(file: string): string {
  return isBuiltIn(file) ? file.slice(BUILT_IN.length) : basename(file).replace(ENDING, '');
}

/** A path that the user typed, relative to the working directory, else to the project root; it may be anywhere. */
export function fileAt(root: string, cwd: string, path: string): TemplateFile | undefined {
  return [resolve(cwd, path), resolve(root, path)]
    .flatMap((full) => asFile(shownPath(root, full), readTextFile(full, MAX_TEMPLATE_BYTES)))
    .at(0);
}

/** A path in a template, relative to its file, else to the project root; never outside the project. */
export function fileNextTo(root: string, child: string, path: string): TemplateFile | undefined {
  const folders = isBuiltIn(child) ? [root] : [dirname(resolve(root, child)), root];
  return folders
    .map((folder) => resolve(folder, path))
    .flatMap((full) =>
      asFile(
        shownPath(root, full),
        readProjectFile(root, relative(root, full), MAX_TEMPLATE_BYTES),
      ),
    )
    .at(0);
}

function asFile(file: string, reading: ReadResult): TemplateFile[] {
  if (reading.kind === 'absent') return [];
  return reading.kind === 'text'
    ? [{ kind: 'text', file, source: { file, text: reading.text } }]
    : [{ kind: 'unreadable', file, why: reading.why }];
}

/** Relative to the project root if it is inside the project. */
export function shownPath(root: string, full: string): string {
  return canonicalPath(root, full) || '.';
}
