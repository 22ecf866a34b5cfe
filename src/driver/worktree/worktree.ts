import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { repositoryOf } from '../../io/git.ts';
import { realPath } from '../../io/project-root.ts';
import { runGit } from '../../io/run-git.ts';
import { STATE_FOLDER } from '../../state/paths.ts';
import { makeFolder } from '../../state/store/state-folder.ts';
import { slugOf } from '../../util/slug.ts';

export interface Worktree {
  /** The checkout that it was made from. */
  origin: string;
  /** The same place inside the new one; a project may be a sub-folder of its repository. */
  root: string;
  top: string;
  branch: string;
  /** The commit that it begins with. */
  base: string;
}

const GIT_TIMEOUT_MS = 120_000;
const BRANCHES = 'holdfast/';

/** A worktree on a branch of its own, beside the repository. Throws if there can be none; creates nothing. */
export function planWorktree(root: string, name: string, now: Date): Worktree {
  const repository = repositoryOf(root);
  if (repository === undefined || !existsSync(repository.common))
    throw new HoldfastError({ code: 'no_repository', root });
  const base = outputOf(repository.top, ['rev-parse', '--verify', 'HEAD']);
  if (base === null) throw failed('the repository has no commit yet');
  const label = `${slugOf(name)}-${now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}`;
  const top = join(dirname(repository.top), `${basename(repository.top)}-${label}`);
  if (existsSync(top)) throw failed(`${top} exists already`);
  const below = root.slice(repository.top.length);
  return { origin: root, root: join(top, below), top, branch: `${BRANCHES}${label}`, base };
}

/** Throws with nothing left of it. */
export function createWorktree(worktree: Worktree): void {
  const { origin, root, top, branch, base } = worktree;
  const made = git(origin, ['worktree', 'add', '--quiet', '-b', branch, top, base]);
  const [reason = ''] = made.stderr.trim().split('\n').slice(-1);
  const problem =
    made.status !== 0
      ? reason
      : existsSync(root)
        ? null
        : `${origin} is not in the last commit, so the worktree does not have it`;
  if (problem !== null) {
    removeWorktree(worktree);
    throw failed(problem);
  }
  // A folder below the top counts as a project by what git may not have.
  makeFolder(root, STATE_FOLDER);
}

/** The worktree of an earlier call; null if the folder is no worktree that `holdfast run` has made for this repository. */
export function findWorktree(origin: string, root: string, base: string): Worktree | null {
  if (!isSameRepository(origin, root)) return null;
  const top = repositoryOf(root)?.top;
  const branch = top === undefined ? null : outputOf(top, ['symbolic-ref', '--short', 'HEAD']);
  if (top === undefined || branch?.startsWith(BRANCHES) !== true) return null;
  return { origin, root, top, branch, base };
}

/** Whether both are checkouts of one repository. */
export function isSameRepository(one: string, other: string): boolean {
  const [first, second] = [repositoryOf(one), repositoryOf(other)];
  return (
    first !== undefined &&
    second !== undefined &&
    first.top !== second.top &&
    existsSync(first.common) &&
    realPath(first.common) === realPath(second.common)
  );
}

/** Whether nothing was left in it: no changed or new file, and no commit. */
export function isUnchanged({ top, base }: Pick<Worktree, 'top' | 'base'>): boolean {
  return (
    outputOf(top, ['status', '--porcelain', '--untracked-files=all']) === '' &&
    outputOf(top, ['rev-parse', 'HEAD']) === base
  );
}

/** With its branch, whatever is in it. */
export function removeWorktree({ origin, top, branch }: Worktree): boolean {
  if (git(origin, ['worktree', 'remove', '--force', top]).status !== 0) return false;
  git(origin, ['branch', '--delete', '--force', branch]);
  return true;
}

/** Removes a worktree that was made and never used, unless somebody has put something there. */
export function removeLeftover(origin: string, root: string): boolean {
  const worktree = existsSync(root) ? findWorktree(origin, root, '') : null;
  const base = worktree === null ? null : outputOf(worktree.top, ['rev-parse', 'HEAD']);
  if (worktree === null || base === null || !isUnchanged({ ...worktree, base })) return false;
  return removeWorktree(worktree);
}

/** The paths that differ from the last commit; null if git does not say. */
export function uncommittedPaths(root: string): string[] | null {
  const status = outputOf(root, ['status', '--porcelain', '-z']);
  // Of a renamed file, the former name follows without a status.
  return status?.split('\0').flatMap((entry) => /^.. (.+)$/s.exec(entry)?.[1] ?? []) ?? null;
}

function failed(reason: string): HoldfastError {
  return new HoldfastError({ code: 'worktree_failed', reason });
}

function outputOf(folder: string, words: readonly string[]): string | null {
  const result = runGit(folder, words);
  return result.kind === 'ended' && result.code === 0 ? result.stdout.replace(/\n$/, '') : null;
}

/** Checking out a large repository takes longer than the few seconds that questions get. */
function git(folder: string, words: readonly string[]): { status: number | null; stderr: string } {
  const environment = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^GIT_/i.test(name)),
  );
  const { status, stderr, error } = spawnSync('git', ['-C', folder, ...words], {
    env: environment,
    encoding: 'utf8',
    timeout: GIT_TIMEOUT_MS,
    stdio: ['ignore', 'ignore', 'pipe'],
    windowsHide: true,
  });
  return { status, stderr: error === undefined ? stderr : error.message };
}
