import { HoldfastError } from '../errors/holdfast-error.ts';
import type { OperationContext } from '../operations/open-project.ts';
import { readState } from '../state/read-state.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { lastSynced, openForRecord, requireOn, type SyncedClone } from './clone.ts';
import { mayHaveSynced, maySync } from './may-sync.ts';
import { commitsOf, RunObjects } from './objects.ts';
import { planRun } from './plan-run.ts';
import { isEnded } from '../state/ended.ts';
import { toSnapshot } from './portable.ts';
import { localRun, storedRuns } from './reconcile.ts';
import { requireNoSecrets } from './secret-fields.ts';
import { redacted } from './secrets.ts';
import { listRefs, onRemote, updateRefs, type RunRefs } from './refs.ts';
import { isFromNewerVersion, sameContent } from './snapshot.ts';
import { isInArchive } from './write-result.ts';

/** A command that changes more runs than this leaves the rest to `sync`. */
const MAX_RUNS = 5;

/**
 * Commits the runs that a command has changed to the refs of this clone, where sync is on. No network. The command
 * has succeeded: whatever fails here is left to the next `sync`, which finds the same changes in the state files. Of a run
 * that was purged nothing is left to find, so its end is recorded also while sync is off.
 */
export function recordChanges(context: OperationContext): void {
  const { store, root } = context;
  const purged = (): StoredRun[] =>
    mayHaveSynced(root) ? [...store.changed.values()].filter((run) => isPurged(context, run)) : [];
  const changed = (maySync(root) ? [...store.changed.values()] : purged()).slice(0, MAX_RUNS);
  if (changed.length === 0) return;
  try {
    const { clone, isOn } = cloneForRecord(context);
    if (clone === null) return;
    const refs = listRefs(
      clone,
      changed.map(({ runId }) => runId),
    );
    const objects = new RunObjects(clone.git, clone.place.machine);
    for (const run of changed) {
      if (isOn || isPurged(context, run))
        record({ context, clone, objects }, run, refs.get(run.runId) ?? {});
    }
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    // The user must learn of a secret before `sync` refuses to send anything.
    if (error.code === 'sync_secrets')
      context.warn({ code: 'not_recorded', failure: error.failure });
  }
}

/** Null if sync was never on here. */
function cloneForRecord(context: OperationContext): { clone: SyncedClone | null; isOn: boolean } {
  const opened = openForRecord(context);
  const isOn = opened.remote !== null;
  return { clone: isOn ? requireOn(opened, context) : lastSynced(opened, context), isOn };
}

interface Recording {
  context: OperationContext;
  clone: SyncedClone;
  objects: RunObjects;
}

function record(recording: Recording, run: StoredRun, refs: RunRefs): void {
  if (isFromNewerVersion(run.state)) return;
  const { context, clone, objects } = recording;
  const { base, local } = refs;
  if (isPurged(context, run)) {
    recordEnd(recording, run, refs);
    return;
  }
  // What another worktree or an interrupted sync has left is for `sync` to merge.
  if (base?.commit !== local?.commit) return;
  const { runId } = run;
  const reading = base === undefined ? null : objects.read(base.commit, runId).reading;
  if (reading?.kind === 'defect') return;
  const before = reading?.snapshot ?? null;
  const stored = localRun(context, run);
  const snapshot = toSnapshot(stored, before, clone.place);
  if (before !== null && sameContent(snapshot, before)) return;
  requireNoSecrets([{ run, snapshot }]);
  const commit = objects.write(snapshot, base === undefined ? [] : [base.commit], stored.at);
  updateRefs(clone, [
    { kind: 'local', runId, from: local?.commit, to: commit },
    { kind: 'base', runId, from: base?.commit, to: commit },
  ]);
}

/** What becomes of the end of a run that was purged. */
export type EndOfPurged =
  /** It was never committed. */
  | 'unknown'
  /** No other machine has had it: its end stays in this clone's own refs. */
  | 'in_clone'
  /** The next sync sends it. */
  | 'to_send';

export function endOfPurged(context: OperationContext, runId: string): EndOfPurged {
  if (!mayHaveSynced(context.root)) return 'unknown';
  try {
    const { clone } = cloneForRecord(context);
    const refs = clone === null ? {} : (listRefs(clone, [runId]).get(runId) ?? {});
    if (refs.base === undefined) return 'unknown';
    return onRemote(refs) === undefined ? 'in_clone' : 'to_send';
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    return 'unknown';
  }
}

/** Nothing of it is left here: what is not recorded now is never sent. */
function isPurged(context: OperationContext, run: StoredRun): boolean {
  return isEnded(run.state) && !isInArchive(run) && !storedRuns(context).has(run.runId);
}

/**
 * The end of a run that was purged. A secret cannot be removed from it any more, so it is left out, and machines that
 * have the run still learn that it has ended. A run that was never committed stays unknown.
 */
function recordEnd(
  { context, clone, objects }: Recording,
  run: StoredRun,
  { base, local }: RunRefs,
): void {
  if (base === undefined) return;
  const { runId } = run;
  const ended = localRun(context, { ...run, state: withoutSecrets(run) });
  const known = { base: base.commit, local: local?.commit };
  const isUnreadable = Object.values(known).some(
    (commit) => commit !== undefined && objects.read(commit, runId).reading.kind === 'defect',
  );
  if (isUnreadable) return;
  const plan = planRun(commitsOf(objects, runId), ended, known, clone.place);
  if (plan === null) return;
  updateRefs(clone, [
    { kind: 'local', runId, from: local?.commit, to: plan.commit },
    { kind: 'base', runId, from: base.commit, to: plan.commit },
  ]);
}

function withoutSecrets({ runId, state }: StoredRun): RunState {
  const { sessions, ...fields } = state;
  const reading = readState(redacted(fields), {
    workflow: runId,
    createdAt: () => state.created_at,
  });
  // Only texts were replaced.
  if ('defect' in reading) throw new TypeError(`not a run: ${reading.defect}`);
  return { ...reading.state, ...(sessions === undefined ? {} : { sessions }) };
}
