import { createHash, randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { hostname } from '../io/hostname.ts';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { isRunByAgent } from '../operations/require-person.ts';
import { homeFolder } from '../io/user-folders.ts';
import { version } from '../util/version.ts';
import { callGit, gitFailure } from './call-git.ts';
import { makeGit, type Git } from './git.ts';
import type { Place } from './local-run.ts';
import { PROJECT_ROOT } from './scrub.ts';
import { refFolders, type RefFolders } from './ref-names.ts';

/** `--no-write-fetch-head`, and refspecs that exclude something. */
const LEAST_GIT = '2.29';

export interface CloneContext {
  root: string;
  environment: Record<string, string | undefined>;
  session: string | null;
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
  /** How git starts ssh, where the user has configured that. */
  sshCommand: string | undefined;
}

/** A clone in which sync is on. */
export interface SyncedClone extends Clone {
  remote: string;
  place: Place;
  folders: RefFolders;
}

/** Throws with a sentence if there is no repository that `sync` can work with. */
export function openClone({ root, environment }: Omit<CloneContext, 'session'>): Clone {
  const git = makeGit(root, environment);
  requireVersion(git);
  const project = projectOf(git, root);
  return { git, project, ...readConfig(git, project) };
}

export function requireOn(clone: Clone, context: CloneContext): SyncedClone {
  const { root, environment } = context;
  const { remote, cloneId, remotes, project } = clone;
  const isAgent = isRunByAgent(context);
  if (remote === null || cloneId === null)
    throw new HoldfastError({ code: 'sync_is_off', remotes, isAgent });
  if (!remotes.includes(remote))
    throw new HoldfastError({
      code: 'sync_no_remote',
      given: remote,
      remotes,
      configured: { isAgent },
    });
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

/** Remotes and ssh may stand in any configuration file; what concerns sync only counts in that of this clone. */
function readConfig(git: Git, project: string): Omit<Clone, 'git' | 'project'> {
  const words = [
    'config',
    '--show-scope',
    '-z',
    '--get-regexp',
    '^(holdfast|remote)\\.|^core\\.sshcommand$',
  ];
  const result = git.local(words);
  if (result.kind !== 'ended' || result.code > 1)
    throw gitFailure(result, "reading this clone's configuration");
  const entries = scopedEntries(result.stdout.toString());
  const own = new Map(
    entries.filter(({ scope }) => scope === 'local').map(({ key, value }) => [key, value]),
  );
  const remotes = entries.flatMap(({ key }) => /^remote\.(.+)\.[^.]+$/s.exec(key)?.[1] ?? []);
  return {
    remotes: [...new Set(remotes)].toSorted(),
    remote: own.get(remoteKey(project)) ?? null,
    cloneId: own.get(CLONE_ID_KEY) ?? null,
    sshCommand: entries.findLast(({ key }) => key === 'core.sshcommand')?.value.trim(),
  };
}

interface ConfigEntry {
  scope: string;
  key: string;
  value: string;
}

/** Git writes the scope, then the key and its value on lines of their own, each part ended by a zero byte. */
function scopedEntries(output: string): ConfigEntry[] {
  const parts = output.split('\0').slice(0, -1);
  return parts.flatMap((scope, index) => {
    const entry = parts[index + 1];
    if (index % 2 === 1 || entry === undefined) return [];
    const at = entry.indexOf('\n');
    return at < 0
      ? [{ scope, key: entry, value: '' }]
      : [{ scope, key: entry.slice(0, at), value: entry.slice(at + 1) }];
  });
}

const CLONE_ID_KEY = 'holdfast.cloneid';

function remoteKey(project: string): string {
  return `holdfast.${project}.sync`;
}

export function switchOn(clone: Clone, remote: string): Clone {
  const { git, project } = clone;
  const cloneId = clone.cloneId ?? randomBytes(16).toString('hex');
  const set = (key: string, value: string): Buffer =>
    callGit(git, ['config', '--local', key, value], "writing this clone's configuration");
  if (clone.cloneId === null) set(CLONE_ID_KEY, cloneId);
  set(remoteKey(project), remote);
  return { ...clone, remote, cloneId };
}

export function switchOff({ git, project }: Clone): void {
  const words = ['config', '--local', '--unset-all', remoteKey(project)];
  callGit(git, words, "writing this clone's configuration");
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
    [root, PROJECT_ROOT],
    [real, PROJECT_ROOT],
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
