import type { StoredRun } from '../state/types.ts';
import { chooseRun } from './choose-run.ts';
import { isHeldByLiveSession, resolveSession, type LivenessContext } from './holder.ts';
import { byRecency, isActive } from './select-run.ts';

export interface RunQuery extends LivenessContext {
  session: string | null;
  /** Whether an agent asks, also one whose session is not known. */
  isAgent: boolean;
  purpose: 'read' | 'write';
}

export type Selection =
  | { kind: 'run'; run: StoredRun; others: StoredRun[] }
  | { kind: 'none'; inactive: StoredRun[] }
  /** A session that has no run of its own changes none of these without naming it. */
  | { kind: 'not_own'; runs: StoredRun[] }
  | { kind: 'ambiguous'; runs: StoredRun[] };

/**
 * The run that a command means if it names none. A session means its own; to read, else the most recent one. A terminal
 * means the only active one, whoever holds it; to read, the most recent one.
 */
export function selectRun(runs: readonly StoredRun[], query: RunQuery): Selection {
  const active = byRecency(runs.filter(isActive));
  const chosen = (run: StoredRun): Selection => ({
    kind: 'run',
    run,
    others: active.filter((other) => other !== run),
  });

  const own = query.session === null ? null : ownRun(runs, query.session, query);
  if (own !== null) return chosen(own);
  const [first, second] = active;
  if (first === undefined)
    return { kind: 'none', inactive: byRecency(runs.filter((run) => !isActive(run))) };
  if (query.purpose === 'read') return chosen(first);
  if (query.session !== null) return { kind: 'not_own', runs: active };
  if (second !== undefined) return { kind: 'ambiguous', runs: active };
  return query.isAgent && isHeldByLiveSession(first, query)
    ? { kind: 'not_own', runs: active }
    : chosen(first);
}

/** Rules 1 to 3 of whose run it is: commands never take a run because of what a transcript shows. */
export function ownRun(
  runs: readonly StoredRun[],
  session: string,
  context: LivenessContext,
): StoredRun | null {
  const choice = chooseRun({
    ...context,
    session: resolveSession(session, runs),
    runs,
    handedOver: null,
    transcript: { kind: 'not_read' },
    isStale: () => false,
  });
  return choice.kind === 'run' ? choice.run : null;
}
