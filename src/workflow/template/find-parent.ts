import { closestMatch } from '../../util/closest-match.ts';
import { listed } from '../../util/problem.ts';
import { entriesNamed, allTemplateNames, type TemplateCatalog } from './catalog.ts';
import { fileNextTo, isBuiltIn, isPath, type TemplateFile } from './locations.ts';
import type { FindParent } from './read-template.ts';

/** What `extends` may name: a template by its name, or a file inside the project. */
export function parentIn(root: string, library: () => TemplateCatalog): FindParent {
  return (name, child) => {
    if (isPath(name)) {
      const file = fileNextTo(root, child.file, name);
      return file === undefined ? missing('there is no such file in the project') : asParent(file);
    }
    const [first, ...others] = parentsNamed(library(), name, child.file);
    if (first === undefined) return missing(whatThereIs(library(), name));
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

function whatThereIs(library: TemplateCatalog, name: string): string {
  const all = allTemplateNames(library);
  const meant = closestMatch(name, all);
  return meant === undefined
    ? `there is no such template here; there are: ${listed(all)}`
    : `there is no such template here; did you mean ${meant}?`;
}
