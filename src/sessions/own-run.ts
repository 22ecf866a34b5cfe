import type { Run } from '../state/types.ts';
import { heldLast, heldNow } from './choose-run.ts';
import { isHeldByLiveSession } from './liveness.ts';
import { type LivenessContext } from './liveness.ts';
import { isActive } from '../state/run.ts';
import { byRecency } from '../state/recency.ts';

export type Selection =
  | { kind: 'run'; run: Run; others: Run[] }
  | { kind: 'none'; inactive: Run[] }
  /** A session that has no run of its own changes none of these without naming it. */
  | { kind: 'not_own'; runs: Run[] }
  | { kind: 'ambiguous'; runs: Run[] };

export interface RunQuery extends LivenessContext {
  session: string | null;
  /** An agent whose session is not known may not: see rights.ts. */
  mayMeanHeldRun: boolean;
  purpose: 'read' | 'write';
}

/**
 * Which run a command means that names none. A session means its own run. A terminal means the only active one, whoever
 * holds it. To read, both mean the most recent one if there is none of their own.
 */
export function selectRun(runs: readonly Run[], query: RunQuery): Selection {
  const { session, purpose } = query;
  const active = byRecency(runs.filter(isActive));

  const own = session === null ? null : ownOf(active, session, query);
  if (own !== null) return selected(own, active);

  const [first, second] = active;
  if (first === undefined) {
    const inactive = byRecency(runs.filter((run) => !isActive(run)));
    return { kind: 'none', inactive };
  }
  if (purpose === 'read') return selected(first, active);
  if (session !== null) return { kind: 'not_own', runs: active };
  if (second !== undefined) return { kind: 'ambiguous', runs: active };
  if (!query.mayMeanHeldRun && isHeldByLiveSession(first, query))
    return { kind: 'not_own', runs: active };
  return selected(first, active);
}

function selected(run: Run, active: readonly Run[]): Selection {
  const others = active.filter((other) => other !== run);
  return { kind: 'run', run, others };
}

/** The run that a session may change without naming it. */
export function ownRun(
  runs: readonly Run[],
  session: string,
  context: LivenessContext,
): Run | null {
  return ownOf(byRecency(runs.filter(isActive)), session, context);
}

/**
 * Rules 1 and 3 of whose run it is. A command finds no hand-over, because the session start after a `/clear` has recorded
 * it, and takes no run because of what a transcript shows.
 */
function ownOf(
  active: readonly Run[],
  session: string,
  context: LivenessContext,
): Run | null {
  const own = heldNow(active, session) ?? heldLast(active, session, context);
  return own?.run ?? null;
}
