import { slugOf } from '../../util/slug.ts';
import { builtIn, projectTemplates, stemOf, type TemplateFile } from './locations.ts';
import { nameIn, type TemplateText } from './read-template.ts';

/** A template and the names it goes by, as slugs: that of its file and the one it gives itself. */
export interface CatalogEntry {
  file: TemplateFile;
  path: string;
  names: string[];
}

/** The templates that can be called by name; each is read once. */
export interface TemplateCatalog {
  own: CatalogEntry[];
  shipped: CatalogEntry[];
}

export function loadCatalog(root: string): TemplateCatalog {
  return {
    own: projectTemplates(root).map(ownEntry),
    shipped: builtIn().map(shippedEntry),
  };
}

export function entriesNamed(volumes: readonly CatalogEntry[], name: string): CatalogEntry[] {
  return volumes.filter(({ names }) => names.includes(slugOf(name)));
}

/** What to type for each of them. */
export function allTemplateNames({ own, shipped }: TemplateCatalog): string[] {
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
