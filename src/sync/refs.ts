import { isTypeable } from '../state/paths.ts';
import type { SyncedClone } from './clone.ts';
import { callGit, tryGit } from './git.ts';

/** A run's refs in this clone. */
export interface RunRefs {
  /** What this clone knows of the run: shared by all its worktrees, and what `sync` pushes. */
  local?: KnownRef;
  /** What the remote had when it was last asked. */
  tracking?: KnownRef;
  /** What the state file of this worktree was last in step with. */
  base?: KnownRef;
}

/** `isEnded`: whether the commit says that the run has ended. */
export type KnownRef = { commit: string; isEnded: boolean };

type RefKind = keyof RunRefs;
const KINDS: readonly RefKind[] = ['local', 'tracking', 'base'];

type Names = Pick<SyncedClone, 'remote' | 'project'>;

export function refFolder({ remote, project }: Names, kind: RefKind): string {
  const folders = {
    local: 'refs/holdfast/runs',
    tracking: `refs/holdfast/remotes/${remote}`,
    // Git keeps refs below `refs/worktree/` for each worktree alone, as each is a project of its own.
    base: 'refs/worktree/holdfast',
  };
  return `${folders[kind]}/${project}/`;
}

/** A run id becomes the last part of a ref as it is, unless git forbids it there. */
export function refName(names: Names, kind: RefKind, runId: string): string {
  // A part of a ref must not start or end with a dot, nor end with `.lock`.
  const encoded = runId
    .replace(/%/g, '%25')
    .replace(/^\.|\.$/g, '%2E')
    .replace(/\.lock$/, '%2Elock');
  return `${refFolder(names, kind)}${encoded}`;
}

/** Null if no run can have that name. The ref may come from anybody who can push, and the id becomes a file and a word. */
export function runIdIn(
  names: Names,
  kind: RefKind,
  ref: string,
): string | null {
  const folder = refFolder(names, kind);
  if (!ref.startsWith(folder)) return null;
  const id = ref.slice(folder.length).replace(/%2E/g, '.').replace(/%25/g, '%');
  const isSafe =
    id.length <= 200 &&
    /^[\p{L}\p{M}\p{N}._-]+$/u.test(id) &&
    !id.includes('..') &&
    isTypeable(id);
  return isSafe && refName(names, kind, id) === ref ? id : null;
}

/** The refs of all runs of this project, by run id. */
export function listRefs(clone: SyncedClone): Map<string, RunRefs> {
  const format = '--format=%(objectname) %(refname) %(subject)';
  const folders = KINDS.map((kind) =>
    refFolder(clone, kind).replace(/\/$/, ''),
  );
  const output = callGit(
    clone.git,
    ['for-each-ref', format, ...folders],
    'listing runs',
  );
  const runs = new Map<string, RunRefs>();
  for (const line of output.split('\n')) {
    const [commit = '', ref = '', subject = ''] = line.split(' ');
    const isEnded = subject === 'completed' || subject === 'cancelled';
    for (const kind of KINDS) {
      const runId = runIdIn(clone, kind, ref);
      if (runId !== null)
        runs.set(runId, { ...runs.get(runId), [kind]: { commit, isEnded } });
    }
  }
  return runs;
}

/**
 * The refs of the remote that lie below the name of a run, by run id: while they are there, git allows no ref of that
 * name. Names as the remote has them.
 */
export function listRefsBelowRuns(clone: SyncedClone): Map<string, string> {
  const folder = refFolder(clone, 'tracking');
  const words = [
    'for-each-ref',
    '--format=%(refname)',
    folder.replace(/\/$/, ''),
  ];
  const below = new Map<string, string>();
  for (const ref of callGit(clone.git, words, 'listing runs').split('\n')) {
    const rest = ref.slice(folder.length);
    const [name = ''] = rest.split('/', 1);
    const runId =
      rest === name ? null : runIdIn(clone, 'tracking', `${folder}${name}`);
    if (runId !== null) below.set(runId, `${refFolder(clone, 'local')}${rest}`);
  }
  return below;
}

export interface RefChange {
  kind: RefKind;
  runId: string;
  /** Null removes the ref. */
  to: string | null;
  /** What it must be now, undefined if it must not exist: otherwise nothing is changed. */
  from: string | undefined;
}

/** All changes or none. False if one of the refs is not what it was taken to be. */
export function updateRefs(
  clone: SyncedClone,
  changes: readonly RefChange[],
): boolean {
  const lines = changes
    .filter(({ to, from }) => to !== (from ?? null))
    .map(({ kind, runId, to, from }) => {
      const ref = refName(clone, kind, runId);
      if (to === null) return `delete ${ref} ${from ?? ''}\n`;
      return from === undefined
        ? `create ${ref} ${to}\n`
        : `update ${ref} ${to} ${from}\n`;
    });
  if (lines.length === 0) return true;
  const words = ['update-ref', '--no-deref', '--stdin'];
  const result = tryGit(clone.git, words, { input: lines.join('') });
  return result.kind === 'ended' && result.code === 0;
}

/** Removes refs of these runs, if they are still what they were taken to be. */
export function removeRefs(
  clone: SyncedClone,
  refs: ReadonlyMap<string, RunRefs>,
  runIds: readonly string[],
  kinds: readonly RefKind[] = KINDS,
): void {
  const changes = runIds.flatMap((runId) =>
    kinds.map((kind) => ({
      kind,
      runId,
      from: refs.get(runId)?.[kind]?.commit,
      to: null,
    })),
  );
  updateRefs(clone, changes);
}
