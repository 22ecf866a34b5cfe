import { HoldfastError } from '../errors/holdfast-error.ts';
import type { OperationContext } from '../operations/open-project.ts';
import { openClone, requireOn } from './clone.ts';
import { RunObjects } from './objects.ts';
import { runRef } from './ref-names.ts';
import { listRefs, updateRefs } from './refs.ts';
import { requireUser } from './switch.ts';
import type { Snapshot } from './snapshot.ts';
import { fetchRuns, pushRefs, type TransportFailure } from './transport.ts';

export interface Pruned {
  remote: string;
  pruned: string[];
}

const KEPT_DAYS = 30;

/** A run that ended this long ago may be removed from the remote; its record stays in the archive of each machine. */
export function isPrunable({ endedAt }: Snapshot, now: Date): boolean {
  const ended = Date.parse(endedAt ?? '');
  return !Number.isNaN(ended) && now.getTime() - ended > KEPT_DAYS * 24 * 3_600_000;
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
  const failed = (problem: TransportFailure): HoldfastError =>
    new HoldfastError({ code: 'sync_transport', remote, ...problem, report: { pruned: [] } });
  if (fetched.kind === 'failed') throw failed({ problem: fetched.problem, reason: fetched.reason });
  const objects = new RunObjects(git, clone.place.machine);
  const ended = [...listRefs(clone)].flatMap(([runId, refs]) =>
    refs.tracking?.isEnded === true ? [{ runId, refs, commit: refs.tracking.commit }] : [],
  );
  objects.load(ended.map(({ runId, commit }) => ({ id: commit, runId })));
  const old = ended.filter(({ runId, commit }) => {
    const { reading } = objects.read(commit, runId);
    return reading.kind === 'snapshot' && isPrunable(reading.snapshot, context.now);
  });
  if (dryRun) return { remote, pruned: old.map(({ runId }) => runId) };
  const { accepted, refused, failure } = await pushRefs(
    clone,
    old.map(({ runId, commit }) => ({
      runId,
      ref: runRef(clone.project, runId),
      to: null,
      from: commit,
    })),
    timeoutMs,
  );
  const gone = old.filter(({ runId }) => accepted.includes(runId));
  updateRefs(
    clone,
    gone.flatMap(({ runId, refs }) =>
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
