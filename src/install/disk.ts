import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { HoldfastError } from '../errors.ts';
import { excludeFor } from '../io/git.ts';
import { codeOf } from '../io/read-file.ts';
import type { Disk } from './types.ts';

const MAX_BYTES = 20_000_000;
const MAX_LINKS = 40;

export const disk: Disk = { read, target, names, isFolder, excludeFor };

/** The bytes as text, so that writing them again gives the same bytes; null where there is no file. */
function read(path: string): string | null {
  const stat = orAbsent(() => statSync(path));
  if (stat === null) return null;
  if (!stat.isFile()) throw new HoldfastError({ code: 'blocked_path', path });
  if (stat.size > MAX_BYTES) {
    throw new HoldfastError({ code: 'unreadable_input', what: path, reason: 'it is too large' });
  }
  const bytes = readFileSync(path);
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) throw new HoldfastError({ code: 'not_text', path });
  return text;
}

function target(path: string): string {
  let at = path;
  for (let links = 0; links < MAX_LINKS; links += 1) {
    if (orAbsent(() => lstatSync(at))?.isSymbolicLink() !== true) return at;
    at = resolve(dirname(at), readlinkSync(at));
  }
  throw new HoldfastError({ code: 'blocked_path', path });
}

function names(folder: string): string[] {
  return (
    orAbsent(() => readdirSync(folder, { withFileTypes: true }))
      ?.filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .toSorted() ?? []
  );
}

function isFolder(path: string): boolean {
  return orAbsent(() => statSync(path))?.isDirectory() === true;
}

function orAbsent<T>(look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null;
    throw error;
  }
}
