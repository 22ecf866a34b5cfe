import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import {
  expandGlob,
  readProjectFile,
  readTextFile,
  type ReadResult,
  type Refusal,
} from '../files/read-file.ts';
import { texts } from './builtin.generated.ts';
import type { TemplateText } from './read-template.ts';
import { MAX_TEMPLATE_BYTES } from './parse-yaml.ts';

export const TEMPLATE_FOLDER = '.claude/holdfast/workflows';
const ENDING = /\.(?:ya?ml|json)$/i;
const MAX_FILES = 200;
const MAX_BYTES_IN_ALL = 10_000_000;
const BUILT_IN = 'built-in:';

export type TemplateFile =
  | { kind: 'text'; source: TemplateText }
  | { kind: 'unreadable'; file: string; why: Refusal };

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
  for (const full of new Set([resolve(cwd, path), resolve(root, path)])) {
    const [file] = asFile(shownPath(root, full), readTextFile(full, MAX_TEMPLATE_BYTES));
    if (file !== undefined) return file;
  }
  return undefined;
}

/** A path in a template, relative to its file, else to the project root; never outside the project. */
export function fileNextTo(root: string, child: string, path: string): TemplateFile | undefined {
  const folders = isBuiltIn(child) ? [root] : [dirname(resolve(root, child)), root];
  for (const full of new Set(folders.map((folder) => resolve(folder, path)))) {
    const inProject = relative(root, full);
    const reading = isAbsolute(inProject)
      ? ({ kind: 'refused', why: 'outside the project' } as const)
      : readProjectFile(root, inProject, MAX_TEMPLATE_BYTES);
    const [file] = asFile(shownPath(root, full), reading);
    if (file !== undefined) return file;
  }
  return undefined;
}

function asFile(file: string, reading: ReadResult): TemplateFile[] {
  if (reading.kind === 'absent') return [];
  return reading.kind === 'text'
    ? [{ kind: 'text', source: { file, text: reading.text } }]
    : [{ kind: 'unreadable', file, why: reading.why }];
}

/** Relative to the project root if it is inside the project. */
export function shownPath(root: string, full: string): string {
  const path = relative(root, full);
  const isOutside = path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path);
  if (isOutside) return full;
  return path === '' ? '.' : path.split(sep).join('/');
}
