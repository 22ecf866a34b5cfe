import {
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  type Stats,
  renameSync,
  rmdirSync,
  unlinkSync,
} from 'node:fs';
import { currentTime, isInside } from './environment.ts';
import { resolve, join } from 'node:path';

/** Why a file was not read as text. */
export type Refusal =
  | 'not a file'
  | 'too large'
  | 'outside the project'
  | 'binary'
  | 'not permitted'
  | 'withheld from agents';

export type ReadResult =
  | { kind: 'text'; text: string; modifiedAt: number; stat: Stats }
  | { kind: 'absent' }
  | { kind: 'refused'; why: Refusal; size?: number };

/** Reads a file of the project; a link that leads out of the project is refused. */
export function readProjectFile(root: string, path: string, maxBytes: number): ReadResult {
  // The system resolves the path, so it need not be normalised here.
  const full = `${root}/${path}`;
  const place = locate(root, full);
  if (place !== 'inside') {
    return place === 'absent' ? { kind: 'absent' } : { kind: 'refused', why: place };
  }
  return readTextFile(full, maxBytes);
}

/** Whether nothing has this path, which is absolute or relative to the project root. */
export function isAbsent(root: string, path: string): boolean {
  return locate(root, resolve(root, path)) === 'absent';
}

export type Location = 'inside' | 'absent' | 'outside the project' | 'not permitted';

export function locate(root: string, full: string): Location {
  try {
    // Most of the paths that hooks ask for do not exist, and an exception costs several times as much as this.
    if (statSync(full, { throwIfNoEntry: false }) === undefined) return 'absent';
    const real = realpathSync.native(full);
    return isInside(realRoot(root), real) ? 'inside' : 'outside the project';
  } catch (error) {
    if (isForbidden(error)) return 'not permitted';
    if (ABSENT.has(errorCode(error) ?? '')) return 'absent';
    throw error;
  }
}

/** Whether the user may not read what is there. */
export function isForbidden(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'EACCES' || code === 'EPERM';
}

/** The path does not exist, or none like it can: links in a circle, a name too long, a NUL character. */
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE']);

const realRoots = new Map<string, string>();

function realRoot(root: string): string {
  const known = realRoots.get(root);
  if (known !== undefined) return known;
  const real = realpathSync.native(root);
  realRoots.set(root, real);
  return real;
}

/** With `links: 'refused'` a symbolic link is not followed. */
export function readTextFile(
  full: string,
  maxBytes: number,
  links: 'followed' | 'refused' = 'followed',
): ReadResult {
  try {
    // Checked before opening, because opening a FIFO would block until somebody writes to it.
    const options = { throwIfNoEntry: false } as const;
    const stat = links === 'followed' ? statSync(full, options) : lstatSync(full, options);
    if (stat === undefined) return { kind: 'absent' };
    if (!stat.isFile()) return { kind: 'refused', why: 'not a file' };
    if (stat.size > maxBytes) return { kind: 'refused', why: 'too large', size: stat.size };
    const text = readFileSync(full, 'utf8');
    if (text.includes('\0')) return { kind: 'refused', why: 'binary' };
    return {
      kind: 'text',
      text: text.startsWith('\uFEFF') ? text.slice(1) : text,
      modifiedAt: stat.mtimeMs,
      stat,
    };
  } catch (error) {
    return resultFor(error);
  }
}

function resultFor(error: unknown): ReadResult {
  switch (errorCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return { kind: 'absent' };
    case 'EACCES':
    case 'EPERM':
      return { kind: 'refused', why: 'not permitted' };
    case 'ELOOP':
    case 'EISDIR':
      return { kind: 'refused', why: 'not a file' };
    default:
      throw error;
  }
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}

/** When the file that a path leads to was last written; null if there is none, or if it is not to be read. */
export function modifiedAt(path: string): number | null {
  return unlessRefused(() => statSync(path).mtimeMs);
}

/** For a folder that may be missing or refused, without which the caller knows less but can go on. */
export function namesIfReadable(folder: string): string[] {
  return unlessRefused(() => readdirSync(folder)) ?? [];
}

/** Null if the file system refuses. */
export function unlessRefused<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return null;
  }
}

/** File systems round times to up to two seconds, so two writes within that time can leave the same fingerprint. */
const CLOCK_RESOLUTION = 2_000;

export interface FingerprintedFile {
  mark: string | null;
  bytes: number;
}

export function statFingerprint(fullPath: string): FingerprintedFile | null {
  const stat = lstatSync(fullPath, { throwIfNoEntry: false });
  return stat === undefined ? null : { mark: fingerprintFrom(stat), bytes: stat.size };
}

/** A text that changes with every write to the file; null if it is not a regular file or was written just now. */
export function fingerprintFrom(stat: Stats): string | null {
  if (!stat.isFile()) return null;
  const { ino, size, mtimeMs, ctimeMs } = stat;
  const isNew = Math.abs(+currentTime() - Math.max(mtimeMs, ctimeMs)) < CLOCK_RESOLUTION;
  return isNew ? null : `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}

export function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

export function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/** Ignores every refusal: a folder left behind does no harm. */
export function removeIfEmpty(folder: string): void {
  unlessRefused(() => rmdirSync(folder));
}

const MAX_ENTRIES = 100_000;
/** Limits the folders, because circular links would yield them without end. */
const MAX_FOLDERS = 5_000;
/** File names are not longer, so a longer pattern cannot match anything more. */
const MAX_PATTERN = 1_000;

/** The paths that match a pattern such as `CLAUDE/Plan/*\/PLAN.md`; `*` and `?` match within one name. */
export function expandGlob(root: string, pattern: string): string[] {
  let paths = [''];
  let folders = 0;
  if (pattern.length > MAX_PATTERN) return [];
  for (const part of pattern.split('/').filter((name) => name !== '' && name !== '.')) {
    const isPattern = /[*?]/.test(part);
    const under = (path: string, name: string): string => (path === '' ? name : `${path}/${name}`);
    const expanded = (path: string): string[] => {
      folders += 1;
      return folders > MAX_FOLDERS ? [] : namesLike(root, path, part);
    };
    paths = paths
      .flatMap((path) => (isPattern ? expanded(path) : [part]).map((name) => under(path, name)))
      .slice(0, MAX_ENTRIES);
  }
  return paths;
}

/** Whether a path relative to the root matches a pattern; nothing is read. */
export function matchesGlob(path: string, pattern: string): boolean {
  const names = path.split('/');
  const parts = pattern.split('/').filter((name) => name !== '' && name !== '.');
  return names.length === parts.length && names.every((name, at) => matches(name, parts[at] ?? ''));
}

/** Folders behind a link out of the project are skipped. */
function namesLike(root: string, path: string, pattern: string): string[] {
  const folder = join(root, path);
  if (locate(root, folder) !== 'inside') return [];
  try {
    return readdirSync(folder).filter((name) => matches(name, pattern));
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES' || code === 'ELOOP') return [];
    throw error;
  }
}

function matches(name: string, pattern: string): boolean {
  return (!name.startsWith('.') || pattern.startsWith('.')) && matchesName(name, pattern);
}

/** `*` and `?` stand for any characters, a dot at the start among them. */
export function matchesName(name: string, pattern: string): boolean {
  return fitsPattern(name, pattern, '*', (char, wanted) => wanted === '?' || wanted === char);
}

/** Where `star` stands for any number of items. Backtracks to the last star only, so that no pattern is slow. */
export function fitsPattern(
  items: ArrayLike<string>,
  pattern: ArrayLike<string>,
  star: string,
  isLike: (item: string, wanted: string) => boolean,
): boolean {
  let at = 0;
  let afterStar = 0;
  let resume = 0;
  for (let index = 0; index < items.length;) {
    const wanted = pattern[at];
    if (wanted === star) {
      at += 1;
      afterStar = at;
      resume = index;
    } else if (wanted !== undefined && isLike(items[index] ?? '', wanted)) {
      at += 1;
      index += 1;
    } else if (afterStar > 0) {
      at = afterStar;
      resume += 1;
      index = resume;
    } else {
      return false;
    }
  }
  while (pattern[at] === star) at += 1;
  return at === pattern.length;
}
