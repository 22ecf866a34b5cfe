import { HoldfastError } from '../errors/holdfast-error.ts';
import type { OperationContext } from '../operations/open-project.ts';
import { movedTo } from '../state/moved.ts';
import type { StoredRun } from '../state/types.ts';
import { openForRecord, requireOn, type SyncedClone } from './clone.ts';
import { maySync } from './may-sync.ts';
import { RunObjects } from './objects.ts';
import { toSnapshot } from './portable.ts';
import { localRun } from './reconcile.ts';
import { requireNoSecrets } from './secrets.ts';
import { listRefs, updateRefs, type RunRefs } from './refs.ts';
import { isFromNewerVersion, sameContent } from './snapshot.ts';

/** A command that changes more runs than this leaves the rest to `sync`. */
const MAX_RUNS = 5;

/**
 * Commits the runs that a command has changed to the refs of this clone, where sync is on. No network. The command
 * has succeeded: whatever fails here is left to the next `sync`, which finds the same changes in the state files.
 */
export function recordChanges(context: OperationContext): void {
  const changed = [...context.store.changed.values()].slice(0, MAX_RUNS);
  if (changed.length === 0 || !maySync(context.root)) return;
  try {
    const opened = openForRecord(context);
    if (opened.remote === null) return;
    const clone = requireOn(opened, context);
    const refs = listRefs(
      clone,
      changed.map(({ runId }) => runId),
    );
    const objects = new RunObjects(clone.git, clone.place.machine);
    for (const run of changed) record({ context, clone, objects }, run, refs.get(run.runId) ?? {});
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    // The user must learn of a secret before `sync` refuses to send anything.
    if (error.code === 'sync_secrets')
      context.warn({ code: 'not_recorded', failure: error.failure });
  }
}

function record(
  {
    context,
    clone,
    objects,
  }: { context: OperationContext; clone: SyncedClone; objects: RunObjects },
  run: StoredRun,
  { base, local }: RunRefs,
): void {
  // What another worktree or an interrupted sync has left is for `sync` to merge.
  if (base?.commit !== local?.commit || isFromNewerVersion(run.state)) return;
  if (movedTo(run.state) !== null) return;
  const { runId } = run;
  const reading = base === undefined ? null : objects.read(base.commit, runId).reading;
  if (reading?.kind === 'defect') return;
  const before = reading?.snapshot ?? null;
  const stored = localRun(context, run);
  const snapshot = toSnapshot(stored, before, clone.place);
  if (before !== null && sameContent(snapshot, before)) return;
  requireNoSecrets([{ runId, snapshot }]);
  const commit = objects.write(snapshot, base === undefined ? [] : [base.commit], stored.at);
  updateRefs(clone, [
    { kind: 'local', runId, from: local?.commit, to: commit },
    { kind: 'base', runId, from: base?.commit, to: commit },
  ]);
}
