import { statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { FileFact, ProjectFiles } from '../guidance/reading-list.ts';
import { digestOf } from './digest.ts';
import { filesLoadedByHost } from './host-loaded.ts';
import { isInside, placeOf, readTextFile } from './read-file.ts';

const MAX_BYTES = 1_000_000;

/** What is known of required files of a project; the host's own files are looked up once. */
export function projectFiles(root: string): ProjectFiles {
  const loadedByHost = filesLoadedByHost(root);
  return {
    canonical: (path) => canonicalPath(root, path),
    factOf: (path) => (loadedByHost.has(path) ? { kind: 'host' } : factOfFile(root, path)),
  };
}

/** From the project root, in one spelling; what lies outside keeps its own. */
export function canonicalPath(root: string, path: string): string {
  if (path.startsWith('~')) return path;
  const full = resolve(root, path);
  return isInside(resolve(root), full) ? relative(root, full).split(sep).join('/') : path;
}

function factOfFile(root: string, path: string): FileFact {
  const full = isAbsolute(path) ? path : join(root, path);
  if (path.startsWith('~') || !isInside(resolve(root), resolve(full))) return { kind: 'outside' };
  const place = placeOf(root, full);
  if (place === 'outside the project') return { kind: 'outside' };
  if (place !== 'inside') return { kind: 'missing' };
  const stat = statSync(full);
  if (!stat.isFile() && !stat.isDirectory()) return { kind: 'missing' };
  return {
    kind: 'present',
    digest: () => {
      const file = readTextFile(full, MAX_BYTES);
      return file.kind === 'text' ? digestOf(file.text) : undefined;
    },
  };
}
