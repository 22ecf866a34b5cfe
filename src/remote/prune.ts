import { HoldfastError } from '../errors/holdfast-error.ts';
import type { OperationContext } from '../operations/open-project.ts';
import { openClone, requireOn, type SyncedClone } from './clone.ts';
import { RunObjects } from './objects.ts';
import { isPrunable } from './prunable.ts';
import { endedRef, runRef } from './ref-names.ts';
import { listRefs, onRemote, updateRefs, type RunRefs } from './refs.ts';
import { requireUser } from './switch.ts';
import { fetchRuns, pushRefs, type RefPush, type TransportFailure } from './transport.ts';

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
  const fetched = await fetchRuns(clone, 'all', timeoutMs);
  const failed = (problem: TransportFailure): HoldfastError =>
    new HoldfastError({ code: 'sync_transport', remote, ...problem, report: { pruned: [] } });
  if (fetched.kind === 'failed') throw failed({ problem: fetched.problem, reason: fetched.reason });
  const objects = new RunObjects(git, clone.place.machine);
  const ended = [...listRefs(clone)].flatMap(([runId, refs]) => {
    const known = onRemote(refs);
    return known?.isEnded === true ? [{ runId, refs, commit: known.commit }] : [];
  });
  objects.load(ended.map(({ runId, commit }) => ({ id: commit, runId })));
  const old = ended.filter(({ runId, commit }) => {
    const { reading } = objects.read(commit, runId);
    return reading.kind === 'snapshot' && isPrunable(reading.snapshot, context.now);
  });
  const { accepted, refused, failure } = await pushRefs(
    clone,
    dryRun ? [] : old.flatMap((run) => removals(clone, run)),
    timeoutMs,
  );
  const isGone = (runId: string): boolean => accepted.includes(runId);
  forget(clone, ended, isGone);
  if (dryRun) return { remote, pruned: old.map(({ runId }) => runId) };
  if (failure !== null) throw failed(failure);
  const [first] = refused;
  if (first !== undefined) throw failed({ problem: 'refused', reason: first.reason });
  return { remote, pruned: [...new Set(accepted)] };
}

interface EndedRun {
  runId: string;
  refs: RunRefs;
}

function removals({ project }: SyncedClone, { runId, refs }: EndedRun): RefPush[] {
  const { tracking, ended } = refs;
  return [
    ...(tracking === undefined ? [] : [{ ref: runRef(project, runId), from: tracking.commit }]),
    ...(ended === undefined ? [] : [{ ref: endedRef(project, runId), from: ended.commit }]),
  ].map((removal) => ({ ...removal, runId, to: null }));
}

/** Refs of runs that are gone, and what was fetched of ended runs that were never here. */
function forget(
  clone: SyncedClone,
  runs: readonly EndedRun[],
  isGone: (runId: string) => boolean,
): void {
  const changes = runs.flatMap(({ runId, refs }) => {
    const isForeign = refs.local === undefined && refs.base === undefined;
    const kinds = isGone(runId)
      ? (['local', 'tracking', 'ended', 'base'] as const)
      : isForeign
        ? (['ended'] as const)
        : [];
    return kinds.flatMap((kind) => {
      const known = refs[kind];
      return known?.isEnded === true ? [{ kind, runId, from: known.commit, to: null }] : [];
    });
  });
  updateRefs(clone, changes);
}
