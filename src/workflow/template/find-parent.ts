import { closestMatch } from '../../util/closest-match.ts';
import type { NoParent } from '../../errors/template-defects.ts';
import { entriesNamed, allTemplateNames, type TemplateCatalog } from './catalog.ts';
import { fileNextTo, isBuiltIn, isPath, type TemplateFile } from './locations.ts';
import type { FindParent } from './read-template.ts';

/** What `extends` may name: a template by its name, or a file inside the project. */
export function parentIn(root: string, library: () => TemplateCatalog): FindParent {
  return (name, child) => {
    if (isPath(name)) {
      const file = fileNextTo(root, child.file, name);
      return file === undefined ? missing({ kind: 'no_such_file' }) : asParent(file);
    }
    const [first, ...others] = parentsNamed(library(), name, child.file);
    if (first === undefined) return missing(unknownParent(library(), name));
    return others.length === 0
      ? asParent(first.file)
      : missing({ kind: 'several', paths: [first, ...others].map(({ path }) => path) });
  };
}

type Search = ReturnType<FindParent>;

function asParent(file: TemplateFile): Search {
  return file.kind === 'text'
    ? { kind: 'found', parent: file.source }
    : missing({ kind: 'refused', why: file.why });
}

function missing(why: NoParent): Search {
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

function unknownParent(library: TemplateCatalog, name: string): NoParent {
  const known = allTemplateNames(library);
  return { kind: 'unknown', near: closestMatch(name, known) ?? null, known };
}
