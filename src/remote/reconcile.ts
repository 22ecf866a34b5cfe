import { HoldfastError } from '../errors/holdfast-error.ts';
import type { OperationContext } from '../operations/open-project.ts';
import { recencyOf } from '../sessions/select-run.ts';
import { purgedRuns } from '../state/store/purged-runs.ts';
import { isReplaced } from '../state/paths.ts';
import type { StoredRun } from '../state/types.ts';
import { newConflicts } from './apply.ts';
import type { SyncedClone } from './clone.ts';
import type { Conflict } from './merge-fields.ts';
import type { RunCommits } from './merge-heads.ts';
import { commitsOf, RunObjects, UnreadableCommit } from './objects.ts';
import { localizedConflicts } from './localize.ts';
import { planRun } from './plan-run.ts';
import type { LocalRun } from './local-run.ts';
import { isEnded } from '../state/ended.ts';
import { RefList, type RefChange, type RunRefs } from './refs.ts';
import { requireNoSecrets } from './secret-fields.ts';
import { isFromNewerVersion, sameContent, type Snapshot, type SnapshotDefect } from './snapshot.ts';
import { applyTo, isInArchive, receive } from './write-result.ts';

/** What became of one run. */
export type Outcome =
  | { kind: 'unchanged' }
  /** A change made here was committed. */
  | { kind: 'recorded' }
  /** A run that was not here before. */
  | { kind: 'arrived' }
  /** Changes of other machines are in the state file now. */
  | { kind: 'updated'; isEnded: boolean; isTakenOver: boolean; conflicts: Conflict[] }
  | { kind: 'skipped'; defect: SnapshotDefect };

export interface Reconciliation {
  context: OperationContext;
  clone: SyncedClone;
  objects: RunObjects;
  refs: RefList;
  /** When each run was purged here whose end is not sent yet. */
  purged: ReadonlyMap<string, string>;
}

export function openReconciliation(context: OperationContext, clone: SyncedClone): Reconciliation {
  const objects = new RunObjects(clone.git, clone.place.machine);
  return { context, clone, objects, refs: new RefList(clone), purged: purgedRuns(context.root) };
}

/** The runs of this project that may have something to sync, by run id. */
export function storedRuns({ store }: OperationContext): Map<string, StoredRun> {
  return new Map(
    store
      .list()
      .runs.filter(({ runId }) => !isReplaced(runId))
      .map((run) => [run.runId, run]),
  );
}

const MAX_ATTEMPTS = 5;

/**
 * Brings the state file, the ref of this clone and what is known of the remote together. Safe to be killed at any
 * point: objects come first, then the ref, then the file, then the note that they are in step.
 */
export function reconcileRun(
  work: Reconciliation,
  runId: string,
  find: () => { stored: StoredRun | undefined; refs: RunRefs },
): Outcome {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = skipUnreadable(() => tryReconcile(work, runId, find()));
    if (outcome !== null) return outcome;
    if (attempt === MAX_ATTEMPTS)
      throw new HoldfastError({
        code: 'sync_git_failed',
        doing: `storing ${runId}`,
        reason: 'another process kept changing it',
      });
  }
}

function skipUnreadable(work: () => Outcome | null): Outcome | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof UnreadableCommit) return { kind: 'skipped', defect: error.defect };
    throw error;
  }
}

/** Null if something changed meanwhile. */
function tryReconcile(
  { context, clone, objects, refs: list, purged }: Reconciliation,
  runId: string,
  { stored, refs }: { stored: StoredRun | undefined; refs: RunRefs },
): Outcome | null {
  const known = [refs.base, refs.local, refs.tracking].flatMap((ref) => ref?.commit ?? []);
  objects.load(known.map((id) => ({ id, runId })));
  const commits = commitsOf(objects, runId);
  for (const commit of known) commits.read(commit);
  if (stored !== undefined && isFromNewerVersion(stored.state))
    return { kind: 'skipped', defect: { kind: 'newer', version: null } };
  const own = isOwn(stored, refs, commits, clone) ? stored : undefined;
  const isNewHere = own === undefined && refs.base === undefined;
  // Runs that ended elsewhere and were never here do not concern this machine.
  if (isNewHere && (refs.local ?? refs.tracking)?.isEnded !== false) return { kind: 'unchanged' };
  const purgedAt = purged.get(runId);
  const local =
    own !== undefined
      ? localRun(context, own)
      : refs.base !== undefined && purgedAt !== undefined
        ? purgedRun(runId, commits.read(refs.base.commit).snapshot, purgedAt)
        : null;
  const plan = planRun(
    commits,
    local,
    {
      base: refs.base?.commit,
      local: refs.local?.commit,
      tracking: refs.tracking?.commit,
    },
    clone.place,
    (snapshot) => {
      if (own !== undefined) requireNoSecrets([{ run: own, snapshot }]);
    },
  );
  if (plan === null) return { kind: 'unchanged' };
  const { commit, result, mine } = plan;
  const toLocal: RefChange = { kind: 'local', runId, from: refs.local?.commit, to: commit };
  const toBase: RefChange = { kind: 'base', runId, from: refs.base?.commit, to: commit };
  const isInStep = mine !== null && sameContent(mine, result);
  if (!isNewHere && isInStep) {
    if (!list.update([toLocal, toBase])) return null;
    return { kind: commit === refs.local?.commit ? 'unchanged' : 'recorded' };
  }
  if (!list.update([toLocal])) return null;
  if (isNewHere) {
    if (isEnded(result.state)) return { kind: 'unchanged' };
    receive(context, { runId, slug: result.slug }, result, stored, clone);
    return list.update([toBase]) ? { kind: 'arrived' } : null;
  }
  // Deleted by hand or purged here: it stays away.
  if (own === undefined || mine === null) return { kind: 'unchanged' };
  const journal = context.store.journal(own);
  if (!applyTo(context, own, mine, result, clone)) return null;
  if (!list.update([toBase])) return null;
  return {
    kind: 'updated',
    isEnded: isEnded(result.state) && !isEnded(own.state),
    isTakenOver: isTakenOver(mine, result),
    conflicts: localizedConflicts(newConflicts(mine, result, journal), context.root),
  };
}

/**
 * A record in the archive that was never in step says nothing about the run that others continue. One of a run that
 * this machine has written to does: its refs were pruned, and a machine that was away for so long still has it open.
 */
function isOwn(
  stored: StoredRun | undefined,
  refs: RunRefs,
  commits: RunCommits,
  { place }: SyncedClone,
): boolean {
  if (stored === undefined || !isInArchive(stored) || refs.base !== undefined) return true;
  const { tracking } = refs;
  if (tracking === undefined || tracking.isEnded) return false;
  return commits.read(tracking.commit).snapshot.machines[place.machine] !== undefined;
}

export function localRun({ store }: OperationContext, run: StoredRun): LocalRun {
  const { runId, slug, state } = run;
  return {
    runId,
    slug,
    state,
    journal: store.journal(run),
    at: new Date(recencyOf(run)).toISOString(),
  };
}

/** A run that was purged here: as it was last in step, because nothing else is left of it, and ended. */
export function purgedRun(runId: string, { slug, state }: Snapshot, at: string): LocalRun {
  const { status_reason: _reason, phase, ...rest } = state;
  return isEnded(state)
    ? { runId, slug, state, journal: [], at }
    : {
        runId,
        slug,
        state: { ...rest, phase: { ...phase, status: 'completed' }, status: 'completed' },
        journal: [{ at, event: 'completed', phase }],
        at,
      };
}

function isTakenOver(mine: Snapshot, result: Snapshot): boolean {
  const [before, after] = [mine, result].map(({ state }) => {
    const holder = state.sessions?.current_session_id ?? null;
    return state.sessions?.session_history?.findLast(({ session_id: id }) => id === holder)
      ?.environment?.machine;
  });
  return before !== undefined && after !== undefined && before !== after;
}
