import { relative, resolve, sep } from 'node:path';
import { isInside } from './read-file.ts';

/** From the project root, in one spelling; what lies outside keeps its own. */
export function canonicalPath(root: string, path: string): string {
  if (path.startsWith('~') || isPlain(path)) return path;
  const full = resolve(root, path);
  return isInside(resolve(root), full) ? relative(root, full).split(sep).join('/') : path;
}

/** Relative, and without a detour: the usual case, which needs no working out. */
function isPlain(path: string): boolean {
  return (
    path !== '' && !/^\/|\/$|[\\:]|(?:^|\/)\.{0,2}\//.test(path) && !/(?:^|\/)\.{1,2}$/.test(path)
  );
}
