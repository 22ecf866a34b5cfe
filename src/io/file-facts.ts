import { statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { FileFact, ProjectFiles } from '../guidance/reading-list.ts';
import { digestOf } from './digest.ts';
import { filesLoadedByHost } from './host-loaded.ts';
import { isInside, placeOf, readProjectFile, readTextFile } from './read-file.ts';

const MAX_BYTES = 1_000_000;
/** A list that names more is nobody's reading list: the rest is taken for there. */
const MAX_LOOKUPS = 1_000;
const MAX_BYTES_IN_ALL = 20_000_000;

/** What is known of required files of a project; the host's own files are looked up once. */
export function projectFiles(root: string): ProjectFiles {
  const loadedByHost = filesLoadedByHost(root);
  const left = { lookups: MAX_LOOKUPS, bytes: MAX_BYTES_IN_ALL };
  return {
    canonical: (path) => canonicalPath(root, path),
    factOf: (path) => (loadedByHost.has(path) ? { kind: 'host' } : factOfFile(root, path, left)),
  };
}

/** The text of required files, each read once, and no more of them than are looked at. */
export function projectContents(
  root: string,
  maxBytes: number,
): (path: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (path) => {
    if (known.size < MAX_LOOKUPS && !known.has(path)) {
      const file = readProjectFile(root, path, maxBytes);
      known.set(path, file.kind === 'text' ? file.text : undefined);
    }
    return known.get(path);
  };
}

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

function factOfFile(
  root: string,
  path: string,
  left: { lookups: number; bytes: number },
): FileFact {
  const full = isAbsolute(path) ? path : join(root, path);
  if (path.startsWith('~') || !isInside(resolve(root), resolve(full))) return { kind: 'outside' };
  if (left.lookups <= 0) return { kind: 'present', digest: () => undefined };
  left.lookups -= 1;
  const place = placeOf(root, full);
  if (place === 'outside the project') return { kind: 'outside' };
  if (place !== 'inside') return { kind: 'missing' };
  const stat = statSync(full);
  if (!stat.isFile() && !stat.isDirectory()) return { kind: 'missing' };
  return {
    kind: 'present',
    digest: () => {
      const file = readTextFile(full, Math.min(left.bytes, MAX_BYTES));
      left.bytes -= file.kind === 'text' ? file.text.length : 0;
      return file.kind === 'text' ? digestOf(file.text) : undefined;
    },
  };
}
