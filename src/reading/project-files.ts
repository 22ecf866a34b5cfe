import { canonicalPath } from '../io/canonical-path.ts';
import { statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import type { FileStatus, ProjectFiles } from './reading-list.ts';
import { digestOf } from '../io/digest.ts';
import { filesLoadedByHost } from './files-loaded-by-host.ts';
import { isInside, locate, readProjectFile, readTextFile } from '../io/read-file.ts';

/** Of larger files, hooks do not know whether they were read. */
export const MAX_READ_BYTES = 1_000_000;
/** Files beyond this number are assumed to exist. */
const MAX_LOOKUPS = 1_000;
const MAX_TOTAL_BYTES = 20_000_000;

/** Looks up required files on disk; the files that the host loads are determined once. */
export function projectFiles(root: string, launchFolder?: string): ProjectFiles {
  const loadedByHost = filesLoadedByHost(root, launchFolder);
  const left = { lookups: MAX_LOOKUPS, bytes: MAX_TOTAL_BYTES };
  return {
    canonical: (path) => canonicalPath(root, path),
    statusOf: (path) => (loadedByHost.has(path) ? { kind: 'host' } : fileStatus(root, path, left)),
  };
}

/** Reads the text of required files, each once. */
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

const ASSUMED: FileStatus = { kind: 'present', digest: () => undefined };

function fileStatus(
  root: string,
  path: string,
  left: { lookups: number; bytes: number },
): FileStatus {
  if (left.lookups <= 0 && /^[^./~]/.test(path) && !path.includes('..')) return ASSUMED;
  const full = isAbsolute(path) ? path : join(root, path);
  if (path.startsWith('~') || !isInside(resolve(root), resolve(full))) return { kind: 'outside' };
  if (left.lookups <= 0) return ASSUMED;
  left.lookups -= 1;
  const place = locate(root, full);
  if (place === 'outside the project') return { kind: 'outside' };
  if (place !== 'inside') return { kind: 'missing' };
  const stat = statSync(full);
  if (!stat.isFile() && !stat.isDirectory()) return { kind: 'missing' };
  return {
    kind: 'present',
    digest: () => {
      const file = readTextFile(full, Math.min(left.bytes, MAX_READ_BYTES));
      left.bytes -= file.kind === 'text' ? file.text.length : 0;
      return file.kind === 'text' ? digestOf(file.text) : undefined;
    },
  };
}
