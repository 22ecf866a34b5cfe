import { existsSync, lstatSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { locate, namesIfReadable, readTextFile } from './read-file.ts';

const MAX_BYTES = 1_000_000;

/** The commit that is checked out, read from git's files because starting git would take longer than a whole hook. */
export function checkedOutCommit(root: string): string | undefined {
  const folder = gitFolder(root);
  if (folder === undefined) return undefined;
  const head = readHead(folder, root);
  const ref = refIn(head);
  if (ref === undefined) return asCommit(head);
  // HEAD may come from an untrusted repository, so it must not name a file outside of refs/.
  if (!/^refs\/(?!.*(?:^|\/)\.\.(?:\/|$))/.test(ref)) return undefined;
  const common = commonFolder(folder);
  const within = (top: string): string | undefined =>
    locate(top, join(top, ref)) === 'inside' ? textOf(join(top, ref))?.trim() : undefined;
  const packed = (): string | undefined =>
    textOf(join(common, 'packed-refs'))
      ?.split('\n')
      .find((line) => line.endsWith(` ${ref}`))
      ?.split(' ')[0];
  return asCommit(within(folder) ?? within(common) ?? packed());
}

/** The branch that is checked out, even if it has no commit yet. */
export function checkedOutBranch(root: string): string | undefined {
  const folder = gitFolder(root);
  return folder === undefined
    ? undefined
    : refIn(readHead(folder, root))?.replace(/^refs\/heads\//, '');
}

const readHead = (folder: string, root: string): string | undefined =>
  isGitFolder(commonFolder(folder), root) ? textOf(join(folder, 'HEAD'))?.trim() : undefined;

/**
 * The rule for what is a git repository, for reading and for writing: the directory `.git` in the top folder, or a
 * folder elsewhere with what git itself requires. A `.git` file or link of an untrusted project can name any folder.
 */
export function isGitFolder(common: string, top: string): boolean {
  const own = join(top, '.git');
  if (common === own && lstatSync(own, { throwIfNoEntry: false })?.isDirectory() === true)
    return true;
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(common, name)));
}

const refIn = (head: string | undefined): string | undefined =>
  head?.startsWith('ref: ') === true ? head.slice('ref: '.length) : undefined;

/** In a worktree `.git` is a file with the path of the folder. */
function gitFolder(root: string): string | undefined {
  const path = join(root, '.git');
  const link = readTextFile(path, MAX_BYTES);
  if (link.kind === 'absent') return undefined;
  if (link.kind === 'refused') return path;
  const named = /^gitdir: (.+)$/m.exec(link.text)?.[1]?.trim();
  return named === undefined ? undefined : resolve(root, named);
}

function commonFolder(folder: string): string {
  const shared = textOf(join(folder, 'commondir'))?.trim();
  return shared === undefined ? folder : resolve(folder, shared);
}

function textOf(path: string): string | undefined {
  const file = readTextFile(path, MAX_BYTES, 'refused');
  return file.kind === 'text' ? file.text : undefined;
}

const asCommit = (text: string | undefined): string | undefined =>
  text !== undefined && /^[0-9a-f]{40,64}$/.test(text) ? text : undefined;

/** `info/exclude`, git's list of ignored files that is never committed, which all worktrees share. */
export function excludeFor(path: string): { file: string; top: string } | undefined {
  const repository = repositoryOf(dirname(path));
  return repository === undefined
    ? undefined
    : { file: join(repository.common, 'info', 'exclude'), top: repository.top };
}

/** The repository that contains `start`; `common` is the git folder that all its worktrees share. */
export function repositoryOf(start: string): { top: string; common: string } | undefined {
  for (let top = start; ; top = dirname(top)) {
    const folder = gitFolder(top);
    if (folder !== undefined) return { top, common: commonFolder(folder) };
    if (dirname(top) === top) return undefined;
  }
}

/** The same folder in the other checkouts of the repository that contains `root`: the main one and git's worktrees. */
export function otherCheckouts(root: string): string[] {
  const repository = repositoryOf(root);
  if (repository === undefined) return [];
  const { top, common } = repository;
  const worktrees = namesIfReadable(join(common, 'worktrees')).flatMap(
    (name) => textOf(join(common, 'worktrees', name, 'gitdir'))?.trim() ?? [],
  );
  return [common, ...worktrees]
    .filter((path) => basename(path) === '.git' && dirname(path) !== top)
    .map((path) => join(dirname(path), relative(top, root)));
}
