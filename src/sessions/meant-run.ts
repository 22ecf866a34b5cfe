import type { SessionRecord, StoredRun } from '../state/types.ts';
import { chooseRun } from './choose-run.ts';
import { holderOf, resolveSession, sessionRecord, type LivenessContext } from './holder.ts';
import { byRecency, isActive } from './select-run.ts';

export interface RunQuery extends LivenessContext {
  session: string | null;
  purpose: 'read' | 'write';
}

export type Selection =
  | { kind: 'run'; run: StoredRun; others: StoredRun[] }
  | { kind: 'none'; inactive: StoredRun[]; heldByOthers: StoredRun[] }
  | { kind: 'ambiguous'; runs: StoredRun[] };

/**
 * The run that a command means if it names none: the session's own; else, to read, the most recent one; to write, the
 * only one that no other session holds or held last. In a terminal it does not matter who holds a run.
 */
export function selectRun(runs: readonly StoredRun[], query: RunQuery): Selection {
  const active = byRecency(runs.filter(isActive));
  const session = query.session === null ? null : resolveSession(query.session, runs);
  const chosen = (run: StoredRun): Selection => ({
    kind: 'run',
    run,
    others: active.filter((other) => other !== run),
  });

  const own = session === null ? null : ownRun(runs, session, query);
  if (own !== null) return chosen(own);
  const isFree = (run: StoredRun): boolean =>
    session === null || !isOfAnother(run, session, active);
  const free = query.purpose === 'read' ? active : active.filter(isFree);
  const [first, second] = free;
  if (first === undefined) {
    const inactive = byRecency(runs.filter((run) => !isActive(run)));
    return { kind: 'none', inactive, heldByOthers: active };
  }
  return second === undefined || query.purpose === 'read'
    ? chosen(first)
    : { kind: 'ambiguous', runs: free };
}

/** Rules 1 to 3 of whose run it is: commands never take a run because of what a transcript shows. */
function ownRun(
  runs: readonly StoredRun[],
  session: string,
  query: LivenessContext,
): StoredRun | null {
  const choice = chooseRun({
    ...query,
    session,
    runs,
    handedOver: null,
    transcript: { kind: 'not_read' },
    isStale: () => false,
  });
  return choice.kind === 'run' ? choice.run : null;
}

/** Whether a command of this session that names no run refuses this one, because it belongs to another session. */
export function isRefusedTo(
  run: StoredRun,
  runs: readonly StoredRun[],
  { session: asking, ...context }: LivenessContext & { session: string | null },
): boolean {
  if (asking === null) return false;
  const session = resolveSession(asking, runs);
  return isOfAnother(run, session, runs) && ownRun(runs, session, context)?.runId !== run.runId;
}

/**
 * Another session holds it or held it last. Of the others, one that has released it no longer counts, unless another
 * session has taken the run of this one: then it is in doubt which run this session means.
 */
function isOfAnother({ state }: StoredRun, session: string, runs: readonly StoredRun[]): boolean {
  const holder = holderOf(state);
  if (holder !== null) return holder !== session;
  const counts = runs.some((run) => isTakenFrom(run, session))
    ? (): boolean => true
    : (record: SessionRecord): boolean => record.released_at === undefined;
  const last = state.sessions?.session_history?.findLast(counts);
  if (last === undefined || last.session_id === session) return false;
  // A session that only declined the run, or moved it by name, never held it.
  const own = sessionRecord(state, session);
  return own?.taken_by === undefined || (own.released_at ?? '') < (last.last_seen_at ?? '');
}

function isTakenFrom(run: StoredRun, session: string): boolean {
  const own = sessionRecord(run.state, session);
  const isOther = ![null, session].includes(holderOf(run.state));
  return isActive(run) && isOther && own?.taken_by !== undefined && own.released_at === undefined;
}
