import { existsSync, lstatSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { realPath } from './environment.ts';
import { locate, namesIfReadable, readTextFile } from './read-file.ts';

const MAX_BYTES = 1_000_000;

/** The commit that is checked out, read from git's files because starting git would take longer than a whole hook. */
export function checkedOutCommit(root: string): string | undefined {
  const repository = repositoryAt(root);
  if (repository === undefined) return undefined;
  const { gitFolder, common } = repository;
  const head = readHead(repository);
  const ref = refIn(head);
  if (ref === undefined) return asCommit(head);
  // HEAD may come from an untrusted repository, so it must not name a file outside of refs/.
  if (!/^refs\/(?!.*(?:^|\/)\.\.(?:\/|$))/.test(ref)) return undefined;
  const within = (top: string): string | undefined =>
    locate(top, join(top, ref)) === 'inside'
      ? textOf(join(top, ref))?.trim()
      : undefined;
  const packed = (): string | undefined =>
    textOf(join(common, 'packed-refs'))
      ?.split('\n')
      .find((line) => line.endsWith(` ${ref}`))
      ?.split(' ')[0];
  return asCommit(within(gitFolder) ?? within(common) ?? packed());
}

/** The branch that is checked out, even if it has no commit yet. */
export function checkedOutBranch(root: string): string | undefined {
  const repository = repositoryAt(root);
  const ref =
    repository === undefined ? undefined : refIn(readHead(repository));
  return ref?.replace(/^refs\/heads\//, '');
}

const readHead = ({
  top,
  gitFolder,
  common,
}: Repository): string | undefined =>
  isGitFolder(common, top)
    ? textOf(join(gitFolder, 'HEAD'))?.trim()
    : undefined;

/**
 * The rule for what is a git repository, for reading and for writing: the directory `.git` in the top folder, or a
 * folder elsewhere with what git itself requires. A `.git` file or link of an untrusted project can name any folder.
 */
export function isGitFolder(common: string, top: string): boolean {
  const own = join(top, '.git');
  if (
    common === own &&
    lstatSync(own, { throwIfNoEntry: false })?.isDirectory() === true
  )
    return true;
  return ['HEAD', 'objects', 'refs'].every((name) =>
    existsSync(join(common, name)),
  );
}

const refIn = (head: string | undefined): string | undefined =>
  head?.startsWith('ref: ') === true ? head.slice('ref: '.length) : undefined;

export interface Repository {
  /** The folder that has `.git`. */
  top: string;
  /** The git folder of this checkout alone, which has its HEAD. */
  gitFolder: string;
  /** The git folder that all checkouts of the repository share. */
  common: string;
  /** Of a worktree the checkout that its repository was made with, null if that is bare; else `top`. */
  mainCheckout: string | null;
  isWorktree: boolean;
}

/** The repository whose top folder this is. */
function repositoryAt(top: string): Repository | undefined {
  const path = join(top, '.git');
  const link = readTextFile(path, MAX_BYTES);
  if (link.kind === 'absent') return undefined;
  const ownFolder = {
    top,
    common: path,
    mainCheckout: top,
    isWorktree: false,
    gitFolder: path,
  };
  if (link.kind === 'refused') return ownFolder;
  const named = /^gitdir: (.+)$/m.exec(link.text)?.[1]?.trim();
  if (named === undefined) return undefined;
  const gitFolder = resolve(top, named);
  const common = commonOfWorktree(top, gitFolder);
  // A submodule, a repository that keeps its git folder elsewhere, or a folder that only claims to be a worktree.
  if (common === undefined)
    return { ...ownFolder, common: gitFolder, gitFolder };
  const mainCheckout = basename(common) === '.git' ? dirname(common) : null;
  return { top, common, mainCheckout, isWorktree: true, gitFolder };
}

/** The folder that stands for the repository in all of its checkouts. */
export const folderOfRepository = ({
  mainCheckout,
  common,
}: Repository): string => mainCheckout ?? common;

/**
 * The git folder of the repository that `top` is a worktree of. A `.git` file may come with an archive and name any
 * folder, so it is not enough: `worktrees/<name>/gitdir` of that repository has to name `top`, which only git writes there.
 */
function commonOfWorktree(top: string, gitFolder: string): string | undefined {
  const common = dirname(dirname(gitFolder));
  const shared = textOf(join(gitFolder, 'commondir'))?.trim();
  const worktree = worktreeIn(gitFolder);
  if (shared === undefined || worktree === undefined) return undefined;
  const isOfRepository =
    gitFolder === join(common, 'worktrees', basename(gitFolder)) &&
    realPath(resolve(gitFolder, shared)) === realPath(common);
  return isOfRepository && realPath(worktree) === realPath(top)
    ? common
    : undefined;
}

/** The top folder of the worktree that a folder in `worktrees/` of a repository is about. */
function worktreeIn(gitFolder: string): string | undefined {
  const named = textOf(join(gitFolder, 'gitdir'))?.trim();
  if (named === undefined || basename(named) !== '.git') return undefined;
  return dirname(resolve(gitFolder, named));
}

function textOf(path: string): string | undefined {
  const file = readTextFile(path, MAX_BYTES, 'refused');
  return file.kind === 'text' ? file.text : undefined;
}

const asCommit = (text: string | undefined): string | undefined =>
  text !== undefined && /^[0-9a-f]{40,64}$/.test(text) ? text : undefined;

/** `info/exclude`, git's list of ignored files that is never committed, which all worktrees share. */
export function excludeFor(
  path: string,
): { file: string; top: string } | undefined {
  const repository = repositoryOf(dirname(path));
  return repository === undefined
    ? undefined
    : { file: join(repository.common, 'info', 'exclude'), top: repository.top };
}

/** The repository that contains `start`. */
export function repositoryOf(start: string): Repository | undefined {
  for (let top = start; ; top = dirname(top)) {
    const repository = repositoryAt(top);
    if (repository !== undefined) return repository;
    if (dirname(top) === top) return undefined;
  }
}

/** The folder that stands for a project in all worktrees of its repository: the same folder of the main checkout. */
export function projectIdentity(root: string): string {
  const real = realPath(root);
  const repository = repositoryOf(real);
  if (repository === undefined) return real;
  const { top, isWorktree } = repository;
  return isWorktree
    ? join(realPath(folderOfRepository(repository)), relative(top, real))
    : real;
}

/** The same folder in the other checkouts of the repository that contains `root`: the main one and git's worktrees. */
export function otherCheckouts(root: string): string[] {
  const repository = repositoryOf(root);
  if (repository === undefined) return [];
  const { top, common } = repository;
  const main = folderOfRepository(repository);
  const worktrees = namesIfReadable(join(common, 'worktrees')).flatMap(
    (name) => worktreeIn(join(common, 'worktrees', name)) ?? [],
  );
  const isOfRepository = (folder: string): boolean => {
    const other = repositoryOf(folder);
    return other?.top === folder && folderOfRepository(other) === main;
  };
  return [main, ...worktrees]
    .filter((folder) => folder !== top && isOfRepository(folder))
    .map((folder) => join(folder, relative(top, root)));
}
