import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { repositoryOf } from '../../io/git.ts';

/** The nearest folder, from here upwards, with a `.git`. */
export function repositoryAround(start: string): string | null {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return null;
  }
}

/** Other folders of the project: the top of its repository, and the main worktree. */
export function foldersBeside(root: string): string[] {
  const repository = repositoryOf(root);
  if (repository === undefined) return [];
  const { top, common } = repository;
  const main = basename(common) === '.git' ? [dirname(common)] : [];
  return [...new Set([top, ...main])].filter((folder) => folder !== root);
}
