import { createHash, randomBytes } from 'node:crypto';
import { HoldfastError } from '../text/holdfast-error.ts';
import { hostname } from 'node:os';
import { homeFolder, configFolder, syncMark } from '../files/environment.ts';
import type { Project } from '../sessions/open-project.ts';
import { dirname } from 'node:path';
import fse from 'fs-extra';
import { asWord, quoted } from '../text/sanitize.ts';
import { proposedWord } from '../text/shell-commands.ts';
import { version } from '../text/version.ts';
import { callGit, gitFailure, tryGit, type Git } from './git.ts';
import type { Place } from './portable.ts';

export type CloneContext = Pick<Project, 'root' | 'environment'>;

export interface Clone {
  git: Git;
  /** `-` at the top of the repository, else a hash of the folder, so that two projects of one repository never meet. */
  project: string;
  remotes: string[];
  /** The remote that this project is synced with; null while sync is off. */
  remote: string | null;
  /** Random, made by `sync on`; null before. */
  cloneId: string | null;
  /** The fingerprints of values that look like secrets and may be sent from here. */
  allowed: string[];
  /** `core.sshCommand` of git's configuration. */
  sshCommand: string | undefined;
}

/** A clone in which sync is on. */
export type SyncedClone = Clone & {
  remote: string;
  cloneId: string;
  place: Place;
};

/** Throws with a sentence if there is no repository that `sync` can work with. */
export function openClone({ root, environment }: CloneContext): Clone {
  const git = { folder: root, environment };
  const prefix = tryGit(git, ['rev-parse', '--git-dir', '--show-prefix']);
  const stderr = prefix.kind === 'ended' ? prefix.stderr : '';
  if (/not a git repository/i.test(stderr))
    throw new HoldfastError(
      'sync_no_repository',
      'this project is not in a git repository',
      {
        hint: '`git init` makes it one; without git, move a run with `holdfast export` and `holdfast import`',
      },
    );
  if (/dubious ownership/i.test(stderr)) {
    const named = /safe\.directory '?([^'\n]+)/.exec(stderr)?.[1] ?? root;
    throw new HoldfastError(
      'sync_foreign_repository',
      'git does not use this repository, because another user owns it',
      {
        hint: `if you trust it: \`git config --global --add safe.directory ${proposedWord(named, '<folder>')}\``,
      },
    );
  }
  if (prefix.kind !== 'ended' || prefix.code !== 0)
    throw gitFailure(prefix, 'reading the repository');
  const folder = (prefix.stdout.split('\n')[1] ?? '').replace(/\/$/, '');
  const project =
    folder === '' ? '-' : sha256(folder.normalize('NFC')).slice(0, 12);
  const config = readConfig(git, project);
  // An unpacked archive brings its own configuration, which must not make `sync` talk to whom it names.
  const isOwn =
    config.cloneId !== null &&
    fse.existsSync(markOf(environment, config.cloneId));
  const unset = { remote: null, cloneId: null, allowed: [] };
  return { git, project, ...config, ...(isOwn ? {} : unset) };
}

export function requireOn(clone: Clone, context: CloneContext): SyncedClone {
  const { remote, cloneId, remotes } = clone;
  if (remote === null || cloneId === null) throw syncIsOff(remotes);
  if (!remotes.includes(remote)) {
    const other = preferred(remotes);
    const command = `\`holdfast sync ${other === undefined ? 'off' : `on ${proposedWord(other, '<remote>')}`}\``;
    throw new HoldfastError(
      'sync_no_remote',
      `this repository has no remote ${quoted(remote)} any more, which sync is on with`,
      {
        hint: `add it again with \`git remote add ${proposedWord(remote, '<name>')} <address>\`, or type ${command} in a terminal`,
      },
    );
  }
  return { ...clone, remote, cloneId, place: localPlace(context, cloneId) };
}

/** An agent cannot switch it on, so the sentence says where. */
export function syncIsOff(remotes: readonly string[]): HoldfastError {
  const remote = preferred(remotes);
  const add =
    remote === undefined
      ? 'add a remote with `git remote add origin <address>`, then '
      : '';
  return new HoldfastError('sync_is_off', 'sync is off in this clone', {
    hint: `${add}type \`holdfast sync on ${proposedWord(remote ?? 'origin', '<remote>')}\` in a terminal: it shows what will leave this machine`,
  });
}

export function requireRemote({ remotes }: Clone, remote: string): void {
  if (remotes.includes(remote)) return;
  throw new HoldfastError(
    'sync_no_remote',
    `this repository has no remote ${quoted(remote)}`,
    { hint: hintForRemote(remotes, remote) },
  );
}

function hintForRemote(remotes: readonly string[], remote: string): string {
  const isAddress = /[:/\\]/.test(remote);
  if (isAddress) {
    const name = remotes.includes('origin') ? 'runs' : 'origin';
    return hintToAdd(name, proposedWord(remote, '<address>'));
  }
  const other = preferred(remotes);
  if (other === undefined)
    return hintToAdd(proposedWord(remote, '<name>'), '<address>');
  const names = remotes.map((name) => asWord(name)).join(', ');
  const command = `holdfast sync on ${proposedWord(other, '<remote>')}`;
  return `its remotes: ${names}; \`${command}\` uses ${asWord(other)}`;
}

function hintToAdd(name: string, address: string): string {
  return `add it with \`git remote add ${name} ${address}\`, then \`holdfast sync on ${name}\``;
}

/** The remote that most repositories use, or else the first. */
const preferred = (remotes: readonly string[]): string | undefined =>
  remotes.includes('origin') ? 'origin' : remotes[0];

const CLONE_ID_KEY = 'holdfast.cloneid';
const ALLOWED_KEY = 'holdfast.allowed';

const remoteKey = (project: string): string => `holdfast.${project}.sync`;

/** Remotes and ssh may stand in any configuration file; what concerns sync only counts in that of this clone. */
function readConfig(git: Git, project: string): Omit<Clone, 'git' | 'project'> {
  const keys = '^(holdfast|remote)\\.|^core\\.sshcommand$';
  const result = tryGit(git, [
    'config',
    '--show-scope',
    '-z',
    '--get-regexp',
    keys,
  ]);
  if (result.kind !== 'ended' || result.code > 1)
    throw gitFailure(result, "reading this clone's configuration");
  // The scope, a zero byte, the key, a line break, the value, a zero byte.
  const entries = [
    ...result.stdout.matchAll(/([^\0]*)\0([^\n\0]*)\n?([^\0]*)\0/g),
  ].map(([, scope = '', key = '', value = '']) => ({ scope, key, value }));
  const ownValues = (name: string): string[] =>
    entries.flatMap(({ scope, key, value }) =>
      scope === 'local' && key === name ? [value] : [],
    );
  const own = (name: string): string | null => ownValues(name).at(-1) ?? null;
  const remotes = entries.flatMap(
    ({ key }) => /^remote\.(.+)\.[^.]+$/s.exec(key)?.[1] ?? [],
  );
  return {
    remotes: [...new Set(remotes)].toSorted(),
    remote: own(remoteKey(project)),
    cloneId: own(CLONE_ID_KEY),
    allowed: ownValues(ALLOWED_KEY),
    sshCommand: entries
      .findLast(({ key }) => key === 'core.sshcommand')
      ?.value.trim(),
  };
}

const markOf = (
  environment: CloneContext['environment'],
  cloneId: string,
): string => syncMark(configFolder(environment, homeFolder()), cloneId);

export function switchOn(clone: Clone, remote: string): Clone {
  const cloneId = clone.cloneId ?? randomBytes(16).toString('hex');
  if (clone.cloneId === null) {
    configure(clone, ['--replace-all', CLONE_ID_KEY, cloneId]);
    const mark = markOf(clone.git.environment, cloneId);
    fse.ensureDirSync(dirname(mark), 0o700);
    fse.writeFileSync(mark, '');
  }
  configure(clone, [remoteKey(clone.project), remote]);
  return { ...clone, remote, cloneId };
}

export function switchOff(clone: Clone): void {
  configure(clone, ['--unset-all', remoteKey(clone.project)]);
}

/** Lets a value pass that looks like a secret, in all worktrees of this clone. */
export function allowValue(clone: SyncedClone, fingerprint: string): void {
  configure(clone, ['--add', ALLOWED_KEY, fingerprint]);
}

function configure({ git }: Clone, words: readonly string[]): void {
  callGit(
    git,
    ['config', '--local', ...words],
    "writing this clone's configuration",
  );
}

/**
 * A worktree is a project of its own, and a clone may be copied with its configuration: so folder and machine are part of
 * the id. Without the random part nobody can guess them from it.
 */
function localPlace(
  { root, environment }: CloneContext,
  cloneId: string,
): Place {
  const real = fse.realpathSync(root);
  const paths = new Map([
    [root, '.'],
    [real, '.'],
    [homeFolder(), '~'],
    [environment['HOME'] ?? '', '~'],
  ]);
  return {
    machine: sha256([cloneId, hostname(), real].join('\n')).slice(0, 8),
    version,
    paths: [...paths]
      .filter(([path]) => path.length > 1)
      .toSorted(([a], [b]) => b.length - a.length),
  };
}

const sha256 = (text: string): string =>
  createHash('sha256').update(text).digest('hex');
