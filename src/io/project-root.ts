import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Paths are not longer, and walking up from a path of megabytes would be slow. */
export const LONGEST_PATH = 4_096;

/** The nearest folder upwards that looks like a project, else the starting folder itself. */
export function findProjectRoot(start: string, home: string): string {
  const from = resolve(start);
  for (let folder = within(from); ; folder = dirname(folder)) {
    if (isProject(folder, home)) return folder;
    if (dirname(folder) === folder) return from;
  }
}

function within(path: string): string {
  return path.length > LONGEST_PATH ? dirname(path.slice(0, LONGEST_PATH)) : path;
}

function isProject(folder: string, home: string): boolean {
  const has = (...path: string[]): boolean => existsSync(join(folder, ...path));
  if (has('untracked', 'workflow-state')) return true;
  // Two lookups instead of four for directories that do not exist.
  if (!existsSync(folder)) return false;
  if (has('.claude', 'holdfast.json') || has('.git')) return true;
  // Every home folder has a .claude, which does not make it a project.
  return has('.claude') && folder !== resolve(home) && folder !== realPath(home);
}

export function realPath(folder: string): string {
  return existsSync(folder) ? realpathSync.native(folder) : folder;
}
