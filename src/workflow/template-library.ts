import { slugOf } from '../state/slug.ts';
import { builtIn, projectTemplates, stemOf, type TemplateFile } from './template-places.ts';
import { nameIn } from './template.ts';

/** A template and the names it goes by, as slugs: that of its file and the one it gives itself. */
export interface Volume {
  file: TemplateFile;
  path: string;
  names: string[];
}

/** The templates that can be called by name; each is read once. */
export interface Library {
  own: Volume[];
  shipped: Volume[];
}

export function openLibrary(root: string): Library {
  return {
    own: projectTemplates(root).map(volume),
    shipped: builtIn().map((source) => volume({ kind: 'text', source })),
  };
}

export function bearing(volumes: readonly Volume[], name: string): Volume[] {
  return volumes.filter(({ names }) => names.includes(slugOf(name)));
}

/** What to type for each of them. */
export function callNames({ own, shipped }: Library): string[] {
  return [...new Set([...own, ...shipped].map(({ path }) => stemOf(path)))];
}

function volume(file: TemplateFile): Volume {
  const path = file.kind === 'text' ? file.source.file : file.file;
  const given = file.kind === 'text' ? nameIn(file.source) : undefined;
  const names = [stemOf(path), ...(given === undefined ? [] : [given])].map(slugOf);
  return { file, path, names };
}
