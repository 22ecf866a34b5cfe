import { canonicalPath } from '../io/canonical-path.ts';
import { statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import type { FileStatus, ProjectFiles } from './reading-list.ts';
import { digestOf } from '../io/digest.ts';
import { filesLoadedByHost } from './files-loaded-by-host.ts';
import { isInside, locate, readProjectFile, readTextFile } from '../io/read-file.ts';

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

function factOfFile(
  root: string,
  path: string,
  left: { lookups: number; bytes: number },
): FileStatus {
  const full = isAbsolute(path) ? path : join(root, path);
  if (path.startsWith('~') || !isInside(resolve(root), resolve(full))) return { kind: 'outside' };
  if (left.lookups <= 0) return { kind: 'present', digest: () => undefined };
  left.lookups -= 1;
  const place = locate(root, full);
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
