import {
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { HoldfastError } from '../errors.ts';
import { excludeFor } from '../io/git.ts';
import { codeOf } from '../io/read-file.ts';
import { isTracked, trackedIn } from './tracked.ts';
import type { Disk } from './types.ts';

const MAX_BYTES = 20_000_000;
const MAX_LINKS = 40;

export const disk: Disk = {
  read,
  target,
  real,
  names,
  isFolder,
  isGone,
  isTracked,
  trackedIn,
  excludeFor,
};

/** The bytes as text, so that writing them again gives the same bytes; null where there is no file. */
function read(path: string): string | null {
  const stat = orAbsent(path, () => statSync(path));
  if (stat === null) return null;
  if (!stat.isFile()) throw new HoldfastError({ code: 'not_a_file', path });
  if (stat.size > MAX_BYTES) {
    throw new HoldfastError({ code: 'unreadable_input', what: path, reason: 'it is too large' });
  }
  const bytes = orAbsent(path, () => readFileSync(path));
  const text = bytes?.toString('utf8') ?? null;
  if (bytes !== null && text !== null && !Buffer.from(text).equals(bytes))
    throw new HoldfastError({ code: 'not_text', path });
  return text;
}

function target(path: string): string {
  let at = path;
  for (let links = 0; links < MAX_LINKS; links += 1) {
    if (orAbsent(at, () => lstatSync(at))?.isSymbolicLink() !== true) return at;
    at = resolve(dirname(at), readlinkSync(at));
  }
  throw new HoldfastError({ code: 'not_a_file', path });
}

function real(path: string): string {
  const there = orAbsent(path, () => realpathSync.native(path));
  if (there !== null) return there;
  const aim = target(path);
  return aim === path && dirname(path) !== path
    ? join(real(dirname(path)), basename(path))
    : real(aim);
}

function names(folder: string): string[] {
  return (
    orAbsent(folder, () => readdirSync(folder, { withFileTypes: true }))
      ?.filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .toSorted() ?? []
  );
}

function isFolder(path: string): boolean {
  return orAbsent(path, () => statSync(path))?.isDirectory() === true;
}

/** Not where it cannot be told. */
function isGone(path: string): boolean {
  try {
    return !statSync(path).isDirectory();
  } catch (error) {
    return isAbsence(error);
  }
}

function orAbsent<T>(path: string, look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if (isAbsence(error)) return null;
    const reason = codeOf(error);
    if (reason === 'ELOOP') throw new HoldfastError({ code: 'not_a_file', path });
    if (reason === undefined) throw error;
    throw new HoldfastError({ code: 'unreadable_input', what: path, reason });
  }
}

function isAbsence(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
}
