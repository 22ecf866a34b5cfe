import { HoldfastError } from '../errors/holdfast-error.ts';
import type { OperationContext } from '../operations/open-project.ts';
import { openClone, requireOn } from './clone.ts';
import { RunObjects } from './objects.ts';
import { isPrunable } from './prunable.ts';
import { listRefs, updateRefs } from './refs.ts';
import { requireUser } from './switch.ts';
import { deleteRuns, fetchRuns } from './transport.ts';

export interface Pruned {
  remote: string;
  pruned: string[];
}

/** Removes runs that ended long ago from the remote. A run that was reopened meanwhile stays. */
export async function pruneRuns(
  context: OperationContext,
  { timeoutMs, dryRun }: { timeoutMs: number; dryRun: boolean },
): Promise<Pruned> {
  requireUser(context, 'prune');
  const clone = requireOn(openClone(context), context);
  const { remote, git } = clone;
  const fetched = await fetchRuns(clone, timeoutMs);
  const failed = (problem: {
    problem: 'unreachable' | 'login' | 'timeout' | 'refused';
    reason: string;
  }): HoldfastError =>
    new HoldfastError({ code: 'sync_transport', remote, ...problem, report: { pruned: [] } });
  if (fetched.kind === 'failed') throw failed({ problem: fetched.problem, reason: fetched.reason });
  const objects = new RunObjects(git);
  const ended = [...listRefs(clone)].flatMap(([runId, refs]) =>
    refs.tracking?.isEnded === true ? [{ runId, refs, commit: refs.tracking.commit }] : [],
  );
  objects.load(ended.map(({ runId, commit }) => ({ id: commit, runId })));
  const old = ended.filter(({ runId, commit }) => {
    const { reading } = objects.read(commit, runId);
    return reading.kind === 'snapshot' && isPrunable(reading.snapshot, context.now);
  });
  if (dryRun || old.length === 0) return { remote, pruned: old.map(({ runId }) => runId) };
  const { accepted, refused, failure } = await deleteRuns(clone, old, timeoutMs);
  updateRefs(
    clone,
    old
      .filter(({ runId }) => accepted.includes(runId))
      .flatMap(({ runId, refs }) =>
        (['local', 'tracking', 'base'] as const).flatMap((kind) => {
          const known = refs[kind];
          return known?.isEnded === true ? [{ kind, runId, from: known.commit, to: null }] : [];
        }),
      ),
  );
  if (failure !== null) throw failed(failure);
  const [first] = refused;
  if (first !== undefined) throw failed({ problem: 'refused', reason: first.reason });
  return { remote, pruned: accepted };
}
