import { createHash, randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { homeFolder } from '../io/user-folders.ts';
import { version } from '../util/version.ts';
import { callGit, gitFailure } from './call-git.ts';
import { makeGit, type Git } from './git.ts';
import type { Place } from './local-run.ts';
import { refFolders, type RefFolders } from './ref-names.ts';

/** `--no-write-fetch-head`, and refspecs that exclude something. */
const LEAST_GIT = '2.29';

export interface CloneContext {
  root: string;
  environment: Record<string, string | undefined>;
}

/** The repository of a project, as `sync` sees it. */
export interface Clone {
  git: Git;
  /** `-` at the top of the repository, else a hash of the folder. */
  project: string;
  remotes: string[];
  /** The remote that this project is synced with; null while sync is off. */
  remote: string | null;
  /** Random, made by `sync on`; null before. */
  cloneId: string | null;
  /** Whether the remote lets refs of ended runs be moved; null if that was not tried yet. */
  movesEnded: boolean | null;
}

/** A clone in which sync is on. */
export interface SyncedClone extends Clone {
  remote: string;
  place: Place;
  folders: RefFolders;
}

/** Throws with a sentence if there is no repository that `sync` can work with. */
export function openClone({ root, environment }: CloneContext): Clone {
  const git = makeGit(root, environment);
  requireVersion(git);
  const project = projectOf(git, root);
  const remotes = callGit(git, ['remote'], 'listing the remotes')
    .toString()
    .split('\n')
    .filter((name) => name !== '');
  return { git, project, remotes, ...readConfig(git, project) };
}

export function requireOn(clone: Clone, { root, environment }: CloneContext): SyncedClone {
  const { remote, cloneId, remotes, project } = clone;
  if (remote === null || cloneId === null)
    throw new HoldfastError({ code: 'sync_is_off', remotes });
  if (!remotes.includes(remote))
    throw new HoldfastError({ code: 'sync_no_remote', given: remote, remotes });
  return {
    ...clone,
    remote,
    place: localPlace(root, cloneId, environment),
    folders: refFolders(remote, project),
  };
}

function requireVersion(git: Git): void {
  const text = callGit(git, ['version'], 'asking for its version').toString();
  const found = /(\d+)\.(\d+)[.\d]*/.exec(text);
  const [major = 0, minor = 0] = (found?.slice(1, 3) ?? []).map(Number);
  const [leastMajor = 0, leastMinor = 0] = LEAST_GIT.split('.').map(Number);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  throw new HoldfastError({
    code: 'sync_old_git',
    version: found?.[0] ?? 'of an unknown version',
    least: LEAST_GIT,
  });
}

/** Two projects of one repository never meet: the folder is part of the name of their refs. */
function projectOf(git: Git, root: string): string {
  const result = git.local(['rev-parse', '--git-dir', '--show-prefix']);
  if (result.kind === 'ended' && result.code !== 0 && /not a git repository/i.test(result.stderr))
    throw new HoldfastError({ code: 'sync_no_repository' });
  if (result.kind === 'ended' && /dubious ownership/i.test(result.stderr)) {
    const named = /safe\.directory '?([^'\n]+)/.exec(result.stderr)?.[1];
    throw new HoldfastError({ code: 'sync_foreign_repository', root: named ?? root });
  }
  if (result.kind !== 'ended' || result.code !== 0)
    throw gitFailure(result, 'reading the repository');
  const prefix = (result.stdout.toString().split('\n')[1] ?? '').replace(/\/$/, '');
  return projectKey(prefix);
}

function projectKey(folder: string): string {
  return folder === '' ? '-' : sha256(folder.normalize('NFC')).slice(0, 12);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function readConfig(git: Git, project: string): Pick<Clone, 'remote' | 'cloneId' | 'movesEnded'> {
  const result = git.local(['config', '--local', '-z', '--get-regexp', '^holdfast\\.']);
  if (result.kind !== 'ended' || result.code > 1)
    throw gitFailure(result, "reading this clone's configuration");
  const values = new Map(
    result.stdout
      .toString()
      .split('\0')
      .filter((entry) => entry !== '')
      .map((entry): [string, string] => {
        const at = entry.indexOf('\n');
        return at < 0 ? [entry, ''] : [entry.slice(0, at), entry.slice(at + 1)];
      }),
  );
  return {
    remote: values.get(remoteKey(project)) ?? null,
    cloneId: values.get(CLONE_ID_KEY) ?? null,
    movesEnded: readFlag(values.get(movesKey(project))),
  };
}

function readFlag(value: string | undefined): boolean | null {
  return value === 'true' ? true : value === 'false' ? false : null;
}

const CLONE_ID_KEY = 'holdfast.cloneid';

function remoteKey(project: string): string {
  return `holdfast.${project}.sync`;
}

function movesKey(project: string): string {
  return `holdfast.${project}.moves-ended`;
}

export function switchOn(clone: Clone, remote: string): void {
  const { git, project, cloneId } = clone;
  const set = (key: string, value: string): Buffer =>
    callGit(git, ['config', '--local', key, value], "writing this clone's configuration");
  if (cloneId === null) set(CLONE_ID_KEY, randomBytes(16).toString('hex'));
  set(remoteKey(project), remote);
  // Another remote, or one whose settings have changed.
  if (clone.movesEnded !== null) unset(clone, movesKey(project));
}

/** If it cannot be written, the next sync tries the remote again. */
export function rememberMoves({ git, project, movesEnded }: Clone, isMoved: boolean): void {
  if (movesEnded !== isMoved) git.local(['config', '--local', movesKey(project), String(isMoved)]);
}

export function switchOff(clone: Clone): void {
  unset(clone, remoteKey(clone.project));
}

function unset({ git }: Clone, key: string): void {
  callGit(git, ['config', '--local', '--unset-all', key], "writing this clone's configuration");
}

const MACHINE_ID = 8;

/**
 * A worktree is a project of its own, and a clone may be copied to another machine with its configuration, so the
 * folder and the machine are part of the id. Without the random part nobody can guess them from it.
 */
function localPlace(
  root: string,
  cloneId: string,
  environment: CloneContext['environment'],
): Place {
  const real = realpathSync(root);
  const machine = sha256([cloneId, hostname(), real].join('\n')).slice(0, MACHINE_ID);
  const home = homeFolder();
  const paths = [
    [root, '{project_root}'],
    [real, '{project_root}'],
    [home, '~'],
    [environment['HOME'] ?? '', '~'],
  ] as const;
  const known = new Map(paths.filter(([path]) => path.length > 1));
  return {
    machine,
    version,
    paths: [...known].toSorted(([a], [b]) => b.length - a.length),
  };
}
