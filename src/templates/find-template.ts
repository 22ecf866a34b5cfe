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
  file: string;
  origin: Exclude<Origin, 'path'>;
  reading: TemplateReading;
  /** A template of the project has the same name and is found in its place. */
  shadowed: boolean;
  /** Other templates of the project that the id stands for too, so that it finds none of them. */
  namesakes: string[];
}

/** By path, or by name among those of the project, then among the built-in ones. */
export function findTemplate(root: string, cwd: string, nameOrPath: string): FoundTemplate {
  const library = lazyCatalog(root);
  const file = isPath(nameOrPath)
    ? typed(root, cwd, nameOrPath)
    : named(library(), nameOrPath).file;
  const reading = readFile(file, parentIn(root, library));
  const path = file.kind === 'text' ? file.source.file : file.file;
  if (reading.kind === 'invalid') throw invalidTemplate(reading.problems, path);
  return { template: reading.template, file: path, origin: originOf(path) };
}

function invalidTemplate(problems: readonly FileProblem[], path: string): HoldfastError {
  const lines = problems.map(({ file, line, message }) => `${file}:${line}: ${message}`);
  const more = lines.length - 1;
  return new HoldfastError('invalid_template', lines[0] ?? `${path} is not valid`, {
    hint:
      more < 1
        ? 'correct it, then try again'
        : `${more} more; \`holdfast validate ${shellQuote(problems[0]?.file ?? path)}\` lists them`,
    data: { problems },
  });
}

/** All there are, broken ones included: the project's first. */
export function listTemplates(root: string): ListedTemplate[] {
  const library = lazyCatalog(root);
  const { own, shipped } = library();
  const taken = new Set(own.flatMap(({ names }) => names));
  return [
    ...listOwn(root, library),
    ...shipped.map(({ file, path, names }): ListedTemplate => ({
      id: stemOf(path),
      file: path,
      origin: 'built-in',
      reading: readFile(file, parentIn(root, library)),
      shadowed: names.some((name) => taken.has(name)),
      namesakes: [],
    })),
  ];
}

export function listProjectTemplates(root: string): ListedTemplate[] {
  return listOwn(root, lazyCatalog(root));
}

function listOwn(root: string, library: () => TemplateCatalog): ListedTemplate[] {
  const { own } = library();
  return own.map(({ file, path }) => ({
    id: stemOf(path),
    file: path,
    origin: 'project',
    reading: readFile(file, parentIn(root, library)),
    shadowed: false,
    namesakes: namesakesOf(own, path),
  }));
}

/** A text judged as a template of this project. */
export function checkTemplate(root: string, source: TemplateText): FileProblem[] {
  const library = lazyCatalog(root);
  const reading = readTemplate(source, parentIn(root, library));
  const problems = reading.kind === 'invalid' ? reading.problems : [];
  if (originOf(source.file) !== 'project') return problems;
  const namesakes = namesakesOf(library().own, source.file).map((path): FileProblem => ({
    file: source.file,
    line: 1,
    message: `${path} goes by the same name, so neither is found by it: rename one`,
  }));
  return [...namesakes, ...problems];
}

function namesakesOf(own: readonly CatalogEntry[], path: string): string[] {
  return entriesNamed(own, stemOf(path))
    .map((volume) => volume.path)
    .filter((other) => other !== path);
}

function lazyCatalog(root: string): () => TemplateCatalog {
  let library: TemplateCatalog | undefined;
  return () => {
    library ??= loadCatalog(root);
    return library;
  };
}

function typed(root: string, cwd: string, path: string): TemplateFile {
  const file = fileAt(root, cwd, path);
  if (file !== undefined) return file;
  throw unreadableInput(path, 'there is no such file');
}

function named(library: TemplateCatalog, name: string): CatalogEntry {
  for (const volumes of [library.own, library.shipped]) {
    const [first, ...others] = entriesNamed(volumes, name);
    if (first !== undefined && others.length === 0) return first;
    if (first !== undefined) {
      const files = [first, ...others].map(({ path }) => path);
      throw new HoldfastError('ambiguous_template', `template name "${name}" is ambiguous`, {
        hint: `give a path instead: ${files.join(', ')}`,
      });
    }
  }
  const all = allTemplateNames(library);
  const near = closestMatch(name, all);
  throw new HoldfastError('unknown_template', `no template is named "${name}"`, {
    hint:
      near === undefined
        ? `available: ${all.join(', ')}`
        : `did you mean ${near}? \`holdfast templates\` lists them`,
  });
}

function readFile(file: TemplateFile, findParent: FindParent): TemplateReading {
  if (file.kind === 'text') return readTemplate(file.source, findParent);
  return { kind: 'invalid', problems: [unreadableTemplate(file)] };
}

export function unreadableTemplate({
  file,
  why,
}: Extract<TemplateFile, { kind: 'unreadable' }>): FileProblem {
  return { file, line: 1, message: `it cannot be read: ${why}` };
}

function originOf(file: string): Origin {
  if (isBuiltIn(file)) return 'built-in';
  return file.startsWith(`${TEMPLATE_FOLDER}/`) ? 'project' : 'path';
}

/** What `extends` may name: a template by its name, or a file inside the project. */
function parentIn(root: string, library: () => TemplateCatalog): FindParent {
  return (name, child) => {
    if (isPath(name)) {
      const file = fileNextTo(root, child.file, name);
      return file === undefined ? missing('there is no such file in the project') : asParent(file);
    }
    const [first, ...others] = parentsNamed(library(), name, child.file);
    if (first === undefined) return missing(unknownParent(library(), name));
    return others.length === 0
      ? asParent(first.file)
      : missing(`several have that name: ${listed([first, ...others].map(({ path }) => path))}`);
  };
}

type Search = ReturnType<FindParent>;

function asParent(file: TemplateFile): Search {
  return file.kind === 'text'
    ? { kind: 'found', parent: file.source }
    : missing(`it cannot be read: ${file.why}`);
}

function missing(why: string): Search {
  return { kind: 'missing', why };
}

/** A template of the project that extends its own name means the built-in one of that name. */
function parentsNamed(
  { own, shipped }: TemplateCatalog,
  name: string,
  child: string,
): TemplateCatalog['own'] {
  const namesakes = isBuiltIn(child) ? [] : entriesNamed(own, name);
  const others = namesakes.filter(({ path }) => path !== child);
  if (others.length > 0) return others;
  const below = entriesNamed(shipped, name);
  return below.length > 0 ? below : namesakes;
}

function unknownParent(library: TemplateCatalog, name: string): string {
  const known = allTemplateNames(library);
  const near = closestMatch(name, known);
  return `there is no such template here; ${near === undefined ? `there are: ${listed(known)}` : `did you mean ${near}?`}`;
}

/** A template and the names it goes by, as slugs: that of its file and the one it gives itself. */
interface CatalogEntry {
  file: TemplateFile;
  path: string;
  names: string[];
}

/** The templates that can be called by name; each is read once. */
interface TemplateCatalog {
  own: CatalogEntry[];
  shipped: CatalogEntry[];
}

function loadCatalog(root: string): TemplateCatalog {
  return {
    own: projectTemplates(root).map(ownEntry),
    shipped: builtIn().map(shippedEntry),
  };
}

function entriesNamed(volumes: readonly CatalogEntry[], name: string): CatalogEntry[] {
  return volumes.filter(({ names }) => names.includes(slugOf(name)));
}

/** What to type for each of them. */
function allTemplateNames({ own, shipped }: TemplateCatalog): string[] {
  return [...new Set([...own, ...shipped].map(({ path }) => stemOf(path)))];
}

function ownEntry(file: TemplateFile): CatalogEntry {
  const path = file.kind === 'text' ? file.source.file : file.file;
  const given = file.kind === 'text' ? nameIn(file.source) : undefined;
  const names = [stemOf(path), ...(given === undefined ? [] : [given])].map(slugOf);
  return { file, path, names };
}

/** The name that a built-in template gives itself is that of its file, so its text need not be parsed. */
function shippedEntry(source: TemplateText): CatalogEntry {
  return {
    file: { kind: 'text', source },
    path: source.file,
    names: [slugOf(stemOf(source.file))],
  };
}
