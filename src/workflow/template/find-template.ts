import { unreadableInput } from '../../errors/bad-input.ts';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import type { FileProblem } from '../../errors/problems.ts';
import { closestMatch } from '../../util/closest-match.ts';
import {
  entriesNamed,
  allTemplateNames,
  loadCatalog,
  type TemplateCatalog,
  type CatalogEntry,
} from './catalog.ts';
import { parentIn } from './find-parent.ts';
import {
  fileAt,
  isBuiltIn,
  isPath,
  stemOf,
  TEMPLATE_FOLDER,
  type TemplateFile,
} from './locations.ts';
import {
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
  if (reading.kind === 'invalid')
    throw new HoldfastError({ code: 'invalid_template', problems: reading.problems });
  const path = file.kind === 'text' ? file.source.file : file.file;
  return { template: reading.template, file: path, origin: originOf(path) };
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
    defect: { kind: 'template', template: { kind: 'namesake', path } },
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
      throw new HoldfastError({ code: 'ambiguous_template', name, files });
    }
  }
  const all = allTemplateNames(library);
  const near = closestMatch(name, all) ?? null;
  throw new HoldfastError({ code: 'unknown_template', name, near, all });
}

function readFile(file: TemplateFile, findParent: FindParent): TemplateReading {
  if (file.kind === 'text') return readTemplate(file.source, findParent);
  return { kind: 'invalid', problems: [unreadableTemplate(file)] };
}

export function unreadableTemplate({
  file,
  why,
}: Extract<TemplateFile, { kind: 'unreadable' }>): FileProblem {
  return { file, line: 1, defect: { kind: 'refused', why } };
}

function originOf(file: string): Origin {
  if (isBuiltIn(file)) return 'built-in';
  return file.startsWith(`${TEMPLATE_FOLDER}/`) ? 'project' : 'path';
}
