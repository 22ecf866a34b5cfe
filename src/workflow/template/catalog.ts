import { slugOf } from '../../util/slug.ts';
import { builtIn, projectTemplates, stemOf, type TemplateFile } from './locations.ts';
import { nameIn } from './read-template.ts';

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
    own: projectTemplates(root).map(volume),
    shipped: builtIn().map((source) => volume({ kind: 'text', source })),
  };
}

export function entriesNamed(volumes: readonly CatalogEntry[], name: string): CatalogEntry[] {
  return volumes.filter(({ names }) => names.includes(slugOf(name)));
}

/** What to type for each of them. */
export function allTemplateNames({ own, shipped }: TemplateCatalog): string[] {
  return [...new Set([...own, ...shipped].map(({ path }) => stemOf(path)))];
}

function volume(file: TemplateFile): CatalogEntry {
  const path = file.kind === 'text' ? file.source.file : file.file;
  const given = file.kind === 'text' ? nameIn(file.source) : undefined;
  const names = [stemOf(path), ...(given === undefined ? [] : [given])].map(slugOf);
  return { file, path, names };
}
