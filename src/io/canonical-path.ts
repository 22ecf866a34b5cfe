import { relative, resolve, sep } from 'node:path';
import { isInside } from './read-file.ts';

/** The path relative to the project root in normal form; paths outside the project stay as they are. */
export function canonicalPath(root: string, path: string): string {
  if (path.startsWith('~') || isPlain(path)) return path;
  const full = resolve(root, path);
  return isInside(resolve(root), full) ? relative(root, full).split(sep).join('/') : path;
}

/** Fast path: relative and already in normal form. */
function isPlain(path: string): boolean {
  if (path.includes('\\') || path.includes(':')) return false;
  if (!path.includes('/')) return path !== '' && path !== '.' && path !== '..';
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}
