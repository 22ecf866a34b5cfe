import {
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  type Dirent,
  rmdirSync,
  unlinkSync,
  closeSync,
  fstatSync,
  openSync,
  readSync,
} from 'node:fs';
import { isInside } from './environment.ts';
import { resolve, join } from 'node:path';

export type Refusal =
  | 'not a file'
  | 'too large'
  | 'outside the project'
  | 'binary'
  | 'not permitted'
  | 'withheld from agents';

export type ReadResult =
  | { kind: 'text'; text: string; modifiedAt: number }
  | { kind: 'absent' }
  | { kind: 'refused'; why: Refusal; size?: number };

/** Reads a file of the project; a link that leads out of the project is refused. */
export function readProjectFile(
  root: string,
  path: string,
  maxBytes: number,
): ReadResult {
  // The system resolves the path, so it need not be normalised here.
  return readTextFile(`${root}/${path}`, maxBytes, 'followed', root);
}

const notRead = (why: 'absent' | Refusal): ReadResult =>
  why === 'absent' ? { kind: 'absent' } : { kind: 'refused', why };

/** Whether nothing has this path, which is absolute or relative to the project root. */
export const isAbsent = (root: string, path: string): boolean =>
  locate(root, resolve(root, path)) === 'absent';

export function locate(
  root: string,
  full: string,
): 'inside' | 'absent' | 'outside the project' | 'not permitted' {
  try {
    return isReallyInside(root, full) ? 'inside' : 'outside the project';
  } catch (error) {
    return missingOrForbidden(error);
  }
}

function isReallyInside(root: string, full: string): boolean {
  return isInside(realpathSync.native(root), realpathSync.native(full));
}

/** The path does not exist, or none like it can: links in a circle, a name too long, a NUL character. */
const ABSENT = new Set([
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ERR_INVALID_ARG_VALUE',
]);

function missingOrForbidden(error: unknown): 'absent' | 'not permitted' {
  if (isForbidden(error)) return 'not permitted';
  if (ABSENT.has(errorCode(error) ?? '')) return 'absent';
  throw error;
}

export const isForbidden = (error: unknown): boolean =>
  ['EACCES', 'EPERM'].includes(errorCode(error) ?? '');

/** With `links: 'refused'` a symbolic link is not followed; with a `root`, none that leads out of it is. */
export function readTextFile(
  full: string,
  maxBytes: number,
  links: 'followed' | 'refused' = 'followed',
  root?: string,
): ReadResult {
  try {
    // Checked before opening, because opening a FIFO would block until somebody writes to it.
    const stat = (links === 'followed' ? statSync : lstatSync)(full, {
      throwIfNoEntry: false,
    });
    if (stat === undefined) return notRead('absent');
    if (root !== undefined && !isReallyInside(root, full))
      return notRead('outside the project');
    if (!stat.isFile()) return notRead('not a file');
    if (stat.size > maxBytes)
      return { kind: 'refused', why: 'too large', size: stat.size };
    const text = readFileSync(full, 'utf8');
    if (text.includes('\0')) return notRead('binary');
    return {
      kind: 'text',
      text: text.replace(/^\uFEFF/, ''),
      modifiedAt: stat.mtimeMs,
    };
  } catch (error) {
    return notRead(missingOrForbidden(error));
  }
}

export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    if (missingOrForbidden(error) === 'absent') return false;
    throw error;
  }
}

/** When the file that a path leads to was last written; null if there is none, or if it is not to be read. */
export const modifiedAt = (path: string): number | null =>
  unlessRefused(() => statSync(path).mtimeMs);

/** For a folder that may be missing or refused, without which the caller knows less but can go on. */
export const entriesIn = (folder: string): Dirent[] =>
  unlessRefused(() => readdirSync(folder, { withFileTypes: true })) ?? [];

export const namesIfReadable = (folder: string): string[] =>
  entriesIn(folder).map(({ name }) => name);

export function unlessRefused<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return null;
  }
}

export function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/** A folder left behind does no harm. */
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
  const namesIn = (path: string, part: string): string[] => {
    if (!/[*?]/.test(part)) return [part];
    folders += 1;
    const folder = join(root, path);
    // Folders behind a link out of the project are skipped.
    if (folders > MAX_FOLDERS || locate(root, folder) !== 'inside') return [];
    return namesIfReadable(folder).filter((name) => matches(name, part));
  };
  for (const part of partsOf(pattern)) {
    paths = paths
      .flatMap((path) =>
        namesIn(path, part).map((name) =>
          path === '' ? name : `${path}/${name}`,
        ),
      )
      .slice(0, MAX_ENTRIES);
  }
  return paths;
}

/** Whether a path relative to the root matches a pattern; nothing is read. */
export function matchesGlob(path: string, pattern: string): boolean {
  const names = path.split('/');
  const parts = partsOf(pattern);
  return (
    names.length === parts.length &&
    names.every((name, at) => matches(name, parts[at] ?? ''))
  );
}

const partsOf = (pattern: string): string[] =>
  pattern.split('/').filter((name) => name !== '' && name !== '.');

function matches(name: string, pattern: string): boolean {
  if (name.startsWith('.') && !pattern.startsWith('.')) return false;
  return pattern === '*' || matchesName(name, pattern);
}

/** `*` and `?` stand for any characters, a dot at the start among them. */
export const matchesName = (name: string, pattern: string): boolean =>
  fitsPattern(
    name,
    pattern,
    '*',
    (char, wanted) => wanted === '?' || wanted === char,
  );

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

/** The complete lines in the last `maxBytes` of a file; null if it is not a file. */
export function readEnd(path: string, maxBytes: number): string[] | null {
  // Checked before opening, because opening a FIFO waits for a writer.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null;
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, maxBytes));
    const length = readSync(file, bytes, 0, bytes.length, size - bytes.length);
    const lines = bytes.toString('utf8', 0, length).split('\n');
    return (size > maxBytes ? lines.slice(1) : lines).filter(
      (line) => line.trim() !== '',
    );
  } finally {
    closeSync(file);
  }
}
