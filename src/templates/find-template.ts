import { basename, dirname, relative, resolve } from 'node:path';
import { canonicalPath } from '../files/environment.ts';
import { expandGlob, readProjectFile, readTextFile, type ReadResult } from '../files/read-file.ts';
import { closestMatch } from '../text/closest-match.ts';
import { unreadableInput, HoldfastError } from '../text/holdfast-error.ts';
import { listed, type FileProblem } from '../text/problem.ts';
import { shellQuote } from '../text/shell-commands.ts';
import { slugOf } from '../text/slug.ts';
import { texts } from './builtin.generated.ts';
import { MAX_TEMPLATE_BYTES } from './parse-yaml.ts';
import {
  nameIn,
  readTemplate,
  type FindParent,
  type TemplateReading,
  type TemplateText,
} from './read-template.ts';
import type { Template } from './template-types.generated.ts';

export const TEMPLATE_FOLDER = '.claude/holdfast/workflows';
const ENDING = /\.(?:ya?ml|json)$/i;
const MAX_FILES = 200;
const MAX_BYTES_IN_ALL = 10_000_000;
const BUILT_IN = 'built-in:';

export interface FoundTemplate {
  template: Template;
  /** From the project root; absolute where it lies outside; `built-in:name`. */
  file: string;
  origin: 'project' | 'built-in' | 'path';
}

export interface ListedTemplate {
  /** What finds it: `start --template <id>`. */
  id: string;
  /** What else finds it, as slugs. */
  names: readonly string[];
  file: string;
  origin: 'project' | 'built-in';
  reading: TemplateReading;
  /** A template of the project has the same name and is found in its place. */
  shadowed: boolean;
}

/** By path, or by name among those of the project, then among the built-in ones. */
export function findTemplate(root: string, cwd: string, nameOrPath: string): FoundTemplate {
  const catalog = loadCatalog(root);
  const found = isPath(nameOrPath) ? fileAt(root, cwd, nameOrPath) : named(catalog, nameOrPath);
  if (found === undefined) throw unreadableInput(nameOrPath, 'there is no such file');
  const { file } = found;
  const reading = readFile(found, root, catalog);
  const place = file.startsWith(`${TEMPLATE_FOLDER}/`) ? 'project' : 'path';
  if (reading.kind === 'template')
    return { template: reading.template, file, origin: isBuiltIn(file) ? 'built-in' : place };
  const [first = '', ...more] = reading.problems.map(
    (problem) => `${problem.file}:${problem.line}: ${problem.message}`,
  );
  throw new HoldfastError('invalid_template', first, {
    hint:
      more.length === 0
        ? 'correct it, then try again'
        : `${more.length} more; \`holdfast validate ${shellQuote(reading.problems[0]?.file ?? file)}\` lists them`,
    data: { problems: reading.problems },
  });
}

/** All there are, broken ones included: the project's first. */
export function listTemplates(root: string): ListedTemplate[] {
  const catalog = loadCatalog(root);
  const taken = new Set(catalog.own.flatMap(({ names }) => names));
  return [...catalog.own, ...catalog.shipped].map((entry) => ({
    id: stemOf(entry.file),
    names: entry.names,
    file: entry.file,
    origin: isBuiltIn(entry.file) ? 'built-in' : 'project',
    reading: readFile(entry, root, catalog),
    shadowed: isBuiltIn(entry.file) && entry.names.some((name) => taken.has(name)),
  }));
}

/** A text judged as a template of this project. */
export function checkTemplate(root: string, source: TemplateText): FileProblem[] {
  const reading = readFile(source, root, loadCatalog(root));
  return reading.kind === 'invalid' ? reading.problems : [];
}

/** The text of a template, or why it cannot be read. */
export type TemplateFile = TemplateText | { file: string; why: string };

export function unreadableTemplate({ file, why }: { file: string; why: string }): FileProblem {
  return { file, line: 1, message: `it cannot be read: ${why}` };
}

function readFile(file: TemplateFile, root: string, catalog: TemplateCatalog): TemplateReading {
  return 'text' in file
    ? readTemplate(file, parentIn(root, catalog))
    : { kind: 'invalid', problems: [unreadableTemplate(file)] };
}

/** The templates that can be called by name, each with the slugs of its file's name and of the one it gives itself. */
interface TemplateCatalog {
  own: CatalogEntry[];
  shipped: CatalogEntry[];
}

type CatalogEntry = TemplateFile & { names: string[] };

function loadCatalog(root: string): TemplateCatalog {
  return {
    own: projectTemplates(root).map((file) => {
      const given = 'text' in file ? nameIn(file) : undefined;
      return { ...file, names: [stemOf(file.file), given ?? []].flat().map(slugOf) };
    }),
    // The name that a built-in template gives itself is that of its file, so its text need not be parsed.
    shipped: builtIn().map((file) => ({ ...file, names: [slugOf(stemOf(file.file))] })),
  };
}

function named(catalog: TemplateCatalog, name: string): CatalogEntry {
  const own = entriesNamed(catalog.own, name);
  const found = own.length > 0 ? own : entriesNamed(catalog.shipped, name);
  if (found[0] !== undefined && found.length === 1) return found[0];
  if (found.length > 1)
    throw new HoldfastError('ambiguous_template', `template name "${name}" is ambiguous`, {
      hint: `give a path instead: ${found.map(({ file }) => file).join(', ')}`,
    });
  const { all, near } = suggestions(catalog, name);
  throw new HoldfastError('unknown_template', `no template is named "${name}"`, {
    hint:
      near === undefined
        ? `available: ${all.join(', ')}`
        : `did you mean ${near}? \`holdfast templates\` lists them`,
  });
}

/** What `extends` may name: a template by its name, or a file inside the project. */
function parentIn(root: string, catalog: TemplateCatalog): FindParent {
  return (name, child) => {
    const found = isPath(name)
      ? fileNextTo(root, child.file, name)
      : parentsNamed(catalog, name, child.file);
    const [first, another] = found;
    if (another !== undefined)
      return `several have that name: ${listed(found.map(({ file }) => file))}`;
    if (first !== undefined) return 'text' in first ? first : `it cannot be read: ${first.why}`;
    if (isPath(name)) return 'there is no such file in the project';
    const { all, near } = suggestions(catalog, name);
    return `there is no such template here; ${near === undefined ? `there are: ${listed(all)}` : `did you mean ${near}?`}`;
  };
}

/** A template of the project that extends its own name means the built-in one of that name. */
function parentsNamed(
  { own, shipped }: TemplateCatalog,
  name: string,
  child: string,
): CatalogEntry[] {
  const namesakes = isBuiltIn(child) ? [] : entriesNamed(own, name);
  const others = namesakes.filter(({ file }) => file !== child);
  if (others.length > 0) return others;
  const below = entriesNamed(shipped, name);
  return below.length > 0 ? below : namesakes;
}

function entriesNamed(entries: readonly CatalogEntry[], name: string): CatalogEntry[] {
  return entries.filter(({ names }) => names.includes(slugOf(name)));
}

/** What to type for each of them, and what was probably meant. */
function suggestions(
  { own, shipped }: TemplateCatalog,
  name: string,
): { all: string[]; near: string | undefined } {
  const all = [...new Set([...own, ...shipped].map(({ file }) => stemOf(file)))];
  return { all, near: closestMatch(name, all) };
}

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
function fileAt(root: string, cwd: string, path: string): TemplateFile | undefined {
  return [cwd, root]
    .map((folder) => resolve(folder, path))
    .flatMap((full) => asFile(shownPath(root, full), readTextFile(full, MAX_TEMPLATE_BYTES)))[0];
}

/** A path in a template, relative to its file, else to the project root; never outside the project. */
function fileNextTo(root: string, child: string, path: string): TemplateFile[] {
  return (isBuiltIn(child) ? [root] : [dirname(resolve(root, child)), root])
    .map((folder) => resolve(folder, path))
    .flatMap((full) =>
      asFile(
        shownPath(root, full),
        readProjectFile(root, relative(root, full), MAX_TEMPLATE_BYTES),
      ),
    )
    .slice(0, 1);
}

function asFile(file: string, reading: ReadResult): TemplateFile[] {
  if (reading.kind === 'absent') return [];
  return [reading.kind === 'text' ? { file, text: reading.text } : { file, why: reading.why }];
}

/** Relative to the project root if it is inside the project. */
export function shownPath(root: string, full: string): string {
  return canonicalPath(root, full) || '.';
}
