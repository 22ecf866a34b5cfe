import { callGit } from './call-git.ts';
import type { SyncedClone } from './clone.ts';
import { baseRef, runIdIn, runRef, trackingRef, type RefFolders } from './ref-names.ts';

export interface KnownRef {
  commit: string;
  /** Whether the commit says that the run has ended. */
  isEnded: boolean;
  /** When the commit was made, in milliseconds. */
  at: number;
}

/** What is known of a run: here, on the remote, and when the state file was last in step. */
export interface RunRefs {
  local?: KnownRef;
  tracking?: KnownRef;
  base?: KnownRef;
}

const KINDS: readonly [kind: keyof RunRefs, folder: keyof RefFolders][] = [
  ['local', 'runs'],
  ['tracking', 'tracking'],
  ['base', 'bases'],
];

/** The refs of all runs of this project, or only of the named ones, by run id. */
export function listRefs(clone: SyncedClone, only?: readonly string[]): Map<string, RunRefs> {
  const { git, folders } = clone;
  const patterns =
    only === undefined
      ? KINDS.map(([, folder]) => folders[folder].replace(/\/$/, ''))
      : only.flatMap((runId) => KINDS.map(([kind]) => refName(clone, { kind, runId })));
  const format = '%(objectname) %(committerdate:unix) %(refname) %(subject)';
  const words = ['for-each-ref', `--format=${format}`, ...patterns];
  const runs = new Map<string, RunRefs>();
  for (const line of callGit(git, words, 'listing runs').toString().split('\n')) {
    const [commit = '', seconds = '', ref = '', ...subject] = line.split(' ');
    const at = Number(seconds) * 1_000;
    const status = subject.join(' ');
    const isEnded = status === 'completed' || status === 'cancelled';
    for (const [kind, folder] of KINDS) {
      const runId = runIdIn(ref, folders[folder]);
      if (runId !== null) runs.set(runId, { ...runs.get(runId), [kind]: { commit, isEnded, at } });
    }
  }
  return runs;
}

/** The refs of all runs of this project; listed again only after one of them has changed. */
export class RefList {
  #known: ReadonlyMap<string, RunRefs> | null = null;

  constructor(private readonly clone: SyncedClone) {}

  all(): ReadonlyMap<string, RunRefs> {
    this.#known ??= listRefs(this.clone);
    return this.#known;
  }

  update(changes: readonly RefChange[]): boolean {
    if (effective(changes).length > 0) this.#known = null;
    return updateRefs(this.clone, changes);
  }

  /** Something else has changed them, such as a fetch. */
  forget(): void {
    this.#known = null;
  }
}

export interface RefChange {
  kind: keyof RunRefs;
  runId: string;
  /** Null removes the ref. */
  to: string | null;
  /** What it must be now, undefined if it must not exist: otherwise nothing is changed. */
  from: string | undefined;
}

/** All changes or none. False if one of the refs is not what it was taken to be. */
export function updateRefs(clone: SyncedClone, changes: readonly RefChange[]): boolean {
  const needed = effective(changes);
  if (needed.length === 0) return true;
  const input = needed.map((change) => `${changeLine(refName(clone, change), change)}\n`).join('');
  const result = clone.git.local(['update-ref', '--no-deref', '--stdin'], { input });
  return result.kind === 'ended' && result.code === 0;
}

function effective(changes: readonly RefChange[]): RefChange[] {
  return changes.filter(({ to, from }) => to !== (from ?? null));
}

function changeLine(ref: string, { to, from }: RefChange): string {
  if (to === null) return `delete ${ref} ${from ?? ''}`.trim();
  return from === undefined ? `create ${ref} ${to}` : `update ${ref} ${to} ${from}`;
}

function refName(
  { remote, project }: SyncedClone,
  { kind, runId }: Pick<RefChange, 'kind' | 'runId'>,
): string {
  switch (kind) {
    case 'local':
      return runRef(project, runId);
    case 'tracking':
      return trackingRef(remote, project, runId);
    default:
      return baseRef(project, runId);
  }
}
