import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, locate } from './read-file.ts';

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

/** Backtracks to the last star only, so that no pattern is slow. */
function matches(name: string, pattern: string): boolean {
  if (name.startsWith('.') && !pattern.startsWith('.')) return false;
  let at = 0;
  let star = -1;
  let resume = 0;
  let index = 0;
  while (index < name.length) {
    const wanted = pattern[at];
    if (wanted === '*') {
      star = at;
      resume = index;
      at += 1;
    } else if (wanted === '?' || wanted === name[index]) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      at = star + 1;
      resume += 1;
      index = resume;
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(at));
}
