import { readdirSync, statSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { errorCode, locate } from '../../files/read-file.ts';

const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 20;

export interface FilesBelow {
  /** From the project root, in the order of their names. */
  files: string[];
  /** Folders that could not be looked into. */
  closed: string[];
  /** There was more than is ever looked at. */
  isCut: boolean;
}

/** The files below a folder, without hidden ones and node_modules. A link to a folder is never walked. */
export function filesBelow(root: string, folder: string, maxEntries = MAX_ENTRIES): FilesBelow {
  const found: FilesBelow = { files: [], closed: [], isCut: false };
  let seen = 0;
  const walk = (path: string, depth: number): void => {
    const entries = depth > MAX_DEPTH ? undefined : entriesOf(join(root, path));
    if (entries === undefined) {
      found.closed.push(path);
      return;
    }
    for (const entry of entries) {
      if (seen === maxEntries) {
        found.isCut = true;
        return;
      }
      seen += 1;
      const below = path === '.' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) walk(below, depth + 1);
      else if (isFile(root, below, entry)) found.files.push(below);
    }
  };
  walk(folder, 0);
  return found;
}

function entriesOf(folder: string): Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    if (code === 'EACCES' || code === 'EPERM') return undefined;
    throw error;
  }
}

function isFile(root: string, path: string, entry: Dirent): boolean {
  if (!entry.isSymbolicLink()) return entry.isFile();
  const full = join(root, path);
  return (
    locate(root, full) === 'inside' && statSync(full, { throwIfNoEntry: false })?.isFile() === true
  );
}
