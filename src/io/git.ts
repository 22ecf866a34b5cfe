import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { locate, readTextFile } from './read-file.ts';

const MAX_BYTES = 1_000_000;

/** The commit that is checked out, read from git's own files: starting git would cost more than a whole hook. */
export function checkedOutCommit(root: string): string | undefined {
  const folder = gitFolder(root);
  if (folder === undefined) return undefined;
  const head = headOf(folder, root);
  const ref = refIn(head);
  if (ref === undefined) return asCommit(head);
  // Whoever wrote HEAD may have meant a file of somebody else's that looks like a commit.
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

/** The branch that is checked out, also where it has no commit yet. */
export function checkedOutBranch(root: string): string | undefined {
  const folder = gitFolder(root);
  return folder === undefined
    ? undefined
    : refIn(headOf(folder, root))?.replace(/^refs\/heads\//, '');
}

/** A folder outside the project counts where git itself would take it for a repository, as it does in a worktree. */
function headOf(folder: string, root: string): string | undefined {
  const isTrusted = locate(root, folder) === 'inside' || isRepository(folder);
  return isTrusted ? textOf(join(folder, 'HEAD'))?.trim() : undefined;
}

function isRepository(folder: string): boolean {
  const common = commonFolder(folder);
  return ['objects', 'refs'].every((name) => existsSync(join(common, name)));
}

function refIn(head: string | undefined): string | undefined {
  return head?.startsWith('ref: ') === true ? head.slice('ref: '.length) : undefined;
}

/** In a worktree `.git` is a file that names the folder. */
function gitFolder(root: string): string | undefined {
  const path = join(root, '.git');
  const link = readTextFile(path, MAX_BYTES);
  if (link.kind === 'absent') return undefined;
  if (link.kind === 'refused') return path;
  const named = /^gitdir: (.+)$/m.exec(link.text)?.[1]?.trim();
  return named === undefined ? undefined : resolve(root, named);
}

/** What the worktrees of a repository have in common. */
function commonFolder(folder: string): string {
  const shared = textOf(join(folder, 'commondir'))?.trim();
  return shared === undefined ? folder : resolve(folder, shared);
}

function textOf(path: string): string | undefined {
  const file = readTextFile(path, MAX_BYTES, 'refused');
  return file.kind === 'text' ? file.text : undefined;
}

function asCommit(text: string | undefined): string | undefined {
  return text !== undefined && /^[0-9a-f]{40,64}$/.test(text) ? text : undefined;
}

export interface Exclude {
  /** git's own list of what it does not show: it is never committed. */
  file: string;
  /** The top folder of the repository. */
  top: string;
}

/** The exclude file of the repository that `path` lies in; all worktrees of a repository share it. */
export function excludeFor(path: string): Exclude | undefined {
  const repository = repositoryOf(dirname(path));
  return repository === undefined
    ? undefined
    : { file: join(repository.common, 'info', 'exclude'), top: repository.top };
}

export interface Repository {
  top: string;
  /** The folder of git that all its worktrees share. */
  common: string;
}

/** The repository that `folder` lies in. */
export function repositoryOf(folder: string): Repository | undefined {
  for (let top = folder; ; top = dirname(top)) {
    const gits = gitFolder(top);
    if (gits !== undefined) return { top, common: commonFolder(gits) };
    if (dirname(top) === top) return undefined;
  }
}
