import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { repositoryOf } from '../../io/git.ts';
import { runGit } from '../../io/run-git.ts';
import { ARCHIVE_FOLDER, LOGS_FOLDER } from '../../state/paths.ts';
import { hideFromGit } from '../../state/store/state-folder.ts';
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

/** Makes a worktree on a branch of its own, beside the repository. */
export function createWorktree(root: string, name: string, now: Date): Worktree {
  const repository = repositoryOf(root);
  if (repository === undefined || !existsSync(repository.common))
    throw new HoldfastError({ code: 'no_repository', root });
  const base = outputOf(repository.top, ['rev-parse', '--verify', 'HEAD']);
  if (base === null)
    throw new HoldfastError({
      code: 'worktree_failed',
      reason: 'the repository has no commit yet',
    });
  const label = `${slugOf(name)}-${now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}`;
  const branch = `holdfast/${label}`;
  const top = join(dirname(repository.top), `${basename(repository.top)}-${label}`);
  const made = git(repository.top, ['worktree', 'add', '--quiet', '-b', branch, top, base]);
  if (made.status !== 0) {
    const [reason = ''] = made.stderr.trim().split('\n').slice(-1);
    throw new HoldfastError({ code: 'worktree_failed', reason });
  }
  return { origin: root, root: join(top, root.slice(repository.top.length)), top, branch, base };
}

/**
 * Removes a worktree in which nothing was left: no changed or new file, no commit, and no run that is not finished. The
 * record of the run and its log come back to the checkout that it was made from.
 */
export function removeIfClean({ origin, root, top, branch, base }: Worktree): boolean {
  const status = outputOf(top, ['status', '--porcelain', '--untracked-files=all']);
  const head = outputOf(top, ['rev-parse', 'HEAD']);
  if (status !== '' || head !== base) return false;
  for (const folder of [ARCHIVE_FOLDER, LOGS_FOLDER]) {
    if (!existsSync(join(root, folder))) continue;
    mkdirSync(join(origin, folder), { recursive: true });
    hideFromGit(join(origin, folder));
    cpSync(join(root, folder), join(origin, folder), { recursive: true, force: false });
  }
  if (git(top, ['worktree', 'remove', '--force', top]).status !== 0) return false;
  git(origin, ['branch', '--delete', '--force', branch]);
  return true;
}

function outputOf(folder: string, words: readonly string[]): string | null {
  const result = runGit(folder, words);
  return result.kind === 'ended' && result.code === 0 ? result.stdout.trim() : null;
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
