import { unreadableInput, HoldfastError } from '../text/holdfast-error.ts';
import { closestMatch } from '../text/closest-match.ts';
import { listed, type FileProblem } from '../text/problem.ts';
import { shellQuote } from '../text/shell-commands.ts';
import { slugOf } from '../text/slug.ts';
import {
  builtIn,
  fileAt,
  fileNextTo,
  isBuiltIn,
  isPath,
  projectTemplates,
  stemOf,
  TEMPLATE_FOLDER,
  type TemplateFile,
} from './locations.ts';
import {
  nameIn,
  readTemplate,
  type FindParent,
  type TemplateReading,
  type TemplateText,
} from './read-template.ts';
import type { Template } from './template-types.generated.ts';

export type Origin = 'project' | 'built-in' | 'path';

export interface FoundTemplate {
  template: Template;
  /** From the project root; absolute where it lies outside; `built-in:name`. */
  file: string;
  origin: Origin;
}

export interface ListedTemplate {
  /** What finds it: `start --template <id>`. */
  id: string;
  /** What else finds it, as slugs. */
  names: readonly string[];
  file: string;
  origin: Exclude<Origin, 'path'>;
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
  const { own, shipped } = catalog;
  const taken = new Set(own.flatMap(({ names }) => names));
  const listing = (entry: CatalogEntry, origin: ListedTemplate['origin']): ListedTemplate => ({
    id: stemOf(entry.file),
    names: entry.names,
    file: entry.file,
    origin,
    reading: readFile(entry, root, catalog),
    shadowed: origin === 'built-in' && entry.names.some((name) => taken.has(name)),
  });
  return [
    ...own.map((entry) => listing(entry, 'project')),
    ...shipped.map((entry) => listing(entry, 'built-in')),
  ];
}

/** A text judged as a template of this project. */
export function checkTemplate(root: string, source: TemplateText): FileProblem[] {
  const reading = readTemplate(source, parentIn(root, loadCatalog(root)));
  return reading.kind === 'invalid' ? reading.problems : [];
}

function named(catalog: TemplateCatalog, name: string): CatalogEntry {
  const own = entriesNamed(catalog.own, name);
  const [found, ...others] = own.length > 0 ? own : entriesNamed(catalog.shipped, name);
  if (found !== undefined && others.length === 0) return found;
  if (found !== undefined)
    throw new HoldfastError('ambiguous_template', `template name "${name}" is ambiguous`, {
      hint: `give a path instead: ${[found, ...others].map(({ file }) => file).join(', ')}`,
    });
  const { all, near } = suggestions(catalog, name);
  throw new HoldfastError('unknown_template', `no template is named "${name}"`, {
    hint:
      near === undefined
        ? `available: ${all.join(', ')}`
        : `did you mean ${near}? \`holdfast templates\` lists them`,
  });
}

function readFile(file: TemplateFile, root: string, catalog: TemplateCatalog): TemplateReading {
  if (file.kind === 'text') return readTemplate(file.source, parentIn(root, catalog));
  return { kind: 'invalid', problems: [unreadableTemplate(file)] };
}

export function unreadableTemplate({ file, why }: { file: string; why: string }): FileProblem {
  return { file, line: 1, message: `it cannot be read: ${why}` };
}

/** What `extends` may name: a template by its name, or a file inside the project. */
function parentIn(root: string, catalog: TemplateCatalog): FindParent {
  return (name, child) => {
    const found = isPath(name)
      ? [fileNextTo(root, child.file, name)]
      : parentsNamed(catalog, name, child.file);
    const [first, ...others] = found;
    if (others.length > 0)
      return `several have that name: ${listed(found.flatMap((entry) => entry?.file ?? []))}`;
    if (first?.kind === 'text') return first.source;
    if (first !== undefined) return `it cannot be read: ${first.why}`;
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

/** A template and the names it goes by, as slugs: that of its file and the one it gives itself. */
type CatalogEntry = TemplateFile & { names: string[] };

/** The templates that can be called by name; each is read once. */
interface TemplateCatalog {
  own: CatalogEntry[];
  shipped: CatalogEntry[];
}

function loadCatalog(root: string): TemplateCatalog {
  const entry = (file: TemplateFile, ...more: string[]): CatalogEntry => ({
    ...file,
    names: [stemOf(file.file), ...more].map(slugOf),
  });
  return {
    own: projectTemplates(root).map((file) => {
      const given = file.kind === 'text' ? nameIn(file.source) : undefined;
      return given === undefined ? entry(file) : entry(file, given);
    }),
    // The name that a built-in template gives itself is that of its file, so its text need not be parsed.
    shipped: builtIn().map((source) => entry({ kind: 'text', file: source.file, source })),
  };
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
