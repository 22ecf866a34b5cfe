import { basename, dirname, resolve } from 'node:path';
import { contextReader, withholder } from '../files/context-files.ts';
import { canonicalPath } from '../files/environment.ts';
import {
  expandGlob,
  readTextFile,
  type ReadResult,
} from '../files/read-file.ts';
import { closestMatch } from '../text/closest-match.ts';
import { unreadableInput, HoldfastError } from '../text/holdfast-error.ts';
import { listed, type FileProblem } from '../text/problem.ts';
import { asWord, quoted } from '../text/sanitize.ts';
import { proposedWord } from '../text/shell-commands.ts';
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
import type { Template } from '../machine/template-types.generated.ts';

export const TEMPLATE_FOLDER = '.claude/holdfast/workflows';
const ENDING = /\.(?:ya?ml|json)$/i;
const MAX_FILES = 200;
const MAX_BYTES_IN_ALL = 10_000_000;
const BUILT_IN = 'built-in:';

export interface FoundTemplate {
  template: Template;
  /** From the project root; absolute where it lies outside; `built-in:name`. */
  file: string;
  origin: Origin;
}

type Origin = 'project' | 'built-in' | 'path';

export interface ListedTemplate {
  /** What finds it: `start --template <id>`. */
  id: string;
  /** What else finds it, as slugs. */
  names: readonly string[];
  file: string;
  origin: Origin;
  reading: TemplateReading;
  /** A template of the project has the same name and is found in its place. */
  shadowed: boolean;
}

/** By path, or by name among those of the project, then among the built-in ones. */
export function findTemplate(
  root: string,
  cwd: string,
  nameOrPath: string,
): FoundTemplate {
  const catalog = loadCatalog(root);
  const [found] = isPath(nameOrPath)
    ? // A path that the user typed may lead anywhere.
      fileIn(root, [cwd, root], nameOrPath)
    : [named(catalog, nameOrPath)];
  if (found === undefined)
    throw unreadableInput(nameOrPath, 'there is no such file');
  const { file } = found;
  const reading = readFile(found, root, catalog);
  if (reading.kind === 'template')
    return { template: reading.template, file, origin: originOf(file) };
  const [first = '', ...more] = reading.problems.map(
    (problem) => `${asWord(problem.file)}:${problem.line}: ${problem.message}`,
  );
  throw new HoldfastError('invalid_template', first, {
    hint:
      more.length === 0
        ? 'correct it, then try again'
        : `${more.length} more; \`holdfast validate ${proposedWord(reading.problems[0]?.file ?? file, '<file>')}\` lists them`,
    data: { problems: reading.problems },
  });
}

/** All there are, broken ones included: the project's first. Each is parsed, which takes a while, when it is asked for. */
export function listTemplates(root: string): ListedTemplate[] {
  const catalog = loadCatalog(root);
  return catalog.map((entry) => ({
    id: stemOf(entry.file),
    names: entry.names,
    file: entry.file,
    origin: originOf(entry.file),
    get reading() {
      return readFile(entry, root, catalog);
    },
    shadowed: !entry.names.every((name) =>
      entriesNamed(catalog, name).includes(entry),
    ),
  }));
}

export function checkTemplate(
  root: string,
  source: TemplateText,
): FileProblem[] {
  const reading = readFile(source, root, loadCatalog(root));
  return reading.kind === 'invalid' ? reading.problems : [];
}

export type TemplateFile = TemplateText | { file: string; why: string };

export function unreadableTemplate({
  file,
  why,
}: {
  file: string;
  why: string;
}): FileProblem {
  return { file, line: 1, message: `it cannot be read: ${why}` };
}

const readFile = (
  file: TemplateFile,
  root: string,
  catalog: CatalogEntry[],
): TemplateReading =>
  'text' in file
    ? readTemplate(file, parentIn(root, catalog))
    : { kind: 'invalid', problems: [unreadableTemplate(file)] };

/** A template that can be called by name: by the slug of its file's name, or of the one it gives itself. */
type CatalogEntry = TemplateFile & { names: string[] };

/** Those of the project first. */
const loadCatalog = (root: string): CatalogEntry[] =>
  [...projectTemplates(root), ...builtIn()].map((file) => {
    // The name that a built-in template gives itself is that of its file, so its text need not be parsed.
    const title =
      'text' in file && !isBuiltIn(file.file) ? nameIn(file) : undefined;
    return {
      ...file,
      names: [stemOf(file.file), title ?? []].flat().map(slugOf),
    };
  });

function named(catalog: CatalogEntry[], name: string): CatalogEntry {
  const found = entriesNamed(catalog, name);
  if (found[0] !== undefined && found.length === 1) return found[0];
  if (found.length > 1)
    throw new HoldfastError(
      'ambiguous_template',
      `template name ${quoted(name)} is ambiguous`,
      {
        hint: `give a path instead: ${found.map(({ file }) => asWord(file)).join(', ')}`,
      },
    );
  throw new HoldfastError(
    'unknown_template',
    `no template is named ${quoted(name)}`,
    {
      hint: suggestion(catalog, name),
    },
  );
}

/** What `extends` may name: a template by its name, or a file inside the project. */
const parentIn =
  (root: string, catalog: CatalogEntry[]): FindParent =>
  (name, child) => {
    const found = isPath(name)
      ? fileIn(
          root,
          isBuiltIn(child.file)
            ? [root]
            : [dirname(resolve(root, child.file)), root],
          name,
          root,
        )
      : parentsNamed(catalog, name, child.file);
    const [first, another] = found;
    if (first !== undefined && isPath(name) && withholder(root)(first.file))
      return 'it cannot be read: withheld from agents';
    if (another !== undefined)
      return `several have that name: ${listed(found.map(({ file }) => file))}`;
    if (first !== undefined)
      return 'text' in first ? first : `it cannot be read: ${first.why}`;
    if (isPath(name)) return 'there is no such file in the project';
    return `there is no such template here; ${suggestion(catalog, name)}`;
  };

/** A template of the project that extends its own name means the built-in one of that name. */
function parentsNamed(
  catalog: CatalogEntry[],
  name: string,
  child: string,
): CatalogEntry[] {
  const others = catalog.filter(({ file }) =>
    isBuiltIn(child) ? isBuiltIn(file) : file !== child,
  );
  const found = entriesNamed(others, name);
  return found.length > 0 ? found : entriesNamed(catalog, name);
}

function entriesNamed(catalog: CatalogEntry[], name: string): CatalogEntry[] {
  const found = catalog.filter(({ names }) => names.includes(slugOf(name)));
  const own = found.filter(({ file }) => !isBuiltIn(file));
  return own.length > 0 ? own : found;
}

function suggestion(catalog: CatalogEntry[], name: string): string {
  const all = [...new Set(catalog.map(({ file }) => stemOf(file)))];
  const near = closestMatch(name, all);
  const meant =
    near === undefined
      ? `available: ${listed(all)};`
      : `did you mean ${asWord(near)}?`;
  return `${meant} \`holdfast templates\` lists them`;
}

export const isPath = (nameOrPath: string): boolean =>
  /[/\\]/.test(nameOrPath) || ENDING.test(nameOrPath);

/** What a template says is told to agents, so none is read that a rule of the client keeps from them. */
export function projectTemplates(root: string): TemplateFile[] {
  const readFileOfProject = contextReader(root);
  let left = MAX_BYTES_IN_ALL;
  return expandGlob(root, `${TEMPLATE_FOLDER}/*`)
    .filter((path) => ENDING.test(path))
    .toSorted()
    .slice(0, MAX_FILES)
    .flatMap((path) => {
      const reading = readFileOfProject(
        path,
        Math.min(left, MAX_TEMPLATE_BYTES),
      );
      if (reading.kind === 'text') left -= reading.text.length;
      return asFile(path, reading);
    });
}

export const builtIn = (): TemplateText[] =>
  Object.entries(texts).map(([name, text]) => ({
    file: BUILT_IN + name.replace(/\.yaml$/, ''),
    text,
  }));

function originOf(file: string): Origin {
  if (isBuiltIn(file)) return 'built-in';
  return file.startsWith(`${TEMPLATE_FOLDER}/`) ? 'project' : 'path';
}

const isBuiltIn = (file: string): boolean => file.startsWith(BUILT_IN);

/** The name that a file gives to its template. */
export const stemOf = (file: string): string =>
  isBuiltIn(file)
    ? file.slice(BUILT_IN.length)
    : basename(file).replace(ENDING, '');

/** Below the first of these folders that has it; `within` refuses what is outside that folder. */
const fileIn = (
  root: string,
  folders: string[],
  path: string,
  within?: string,
): TemplateFile[] =>
  folders
    .map((folder) => resolve(folder, path))
    .flatMap((full) =>
      asFile(
        shownPath(root, full),
        readTextFile(full, MAX_TEMPLATE_BYTES, 'followed', within),
      ),
    )
    .slice(0, 1);

function asFile(file: string, reading: ReadResult): TemplateFile[] {
  if (reading.kind === 'absent') return [];
  return [
    reading.kind === 'text'
      ? { file, text: reading.text }
      : { file, why: reading.why },
  ];
}

/** Relative to the project root if it is inside the project. */
export const shownPath = (root: string, full: string): string =>
  canonicalPath(root, full) || '.';
