import { join, relative, sep } from 'node:path';
import { isInside } from '../io/read-file.ts';
import type { Disk } from './types.ts';

/** The links below the root through which some of the paths lead out of it, and where they lead. */
export function linksOut(
  { real }: Pick<Disk, 'real'>,
  root: string,
  paths: readonly string[],
): ReadonlyMap<string, string> {
  const top = real(root);
  const isOutside = (path: string): boolean => !isInside(top, real(path));
  const links = paths
    .filter((path) => isInside(root, path))
    .flatMap((path) => fromTop(root, path).find(isOutside) ?? []);
  return new Map(links.map((link) => [link, real(link)]));
}

/** The folders between the root and the path, without the root, and the path itself. */
function fromTop(root: string, path: string): string[] {
  const names = relative(root, path).split(sep);
  return names.map((_, index) => join(root, ...names.slice(0, index + 1)));
}
