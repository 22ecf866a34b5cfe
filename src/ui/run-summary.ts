import { goneSince } from '../sessions/liveness.ts';
import { liveHolder } from '../sessions/liveness.ts';
import { type LivenessContext } from '../sessions/liveness.ts';
import { isActive } from '../state/run.ts';
import { recencyOf } from '../state/recency.ts';
import { isArchived, isReplaced } from '../state/paths.ts';
import type { Phase, Run, RunState } from '../state/types.ts';
import { needOf, type Need } from './need.ts';

/** A run in a list. */
export interface RunSummary {
  run_id: string;
  workflow: string;
  workflow_type: RunState['workflow_type'];
  status: NonNullable<RunState['status']> | 'replaced';
  phase: Phase;
  /** The number of each phase that was skipped → the reason. */
  skipped: NonNullable<RunState['skipped']>;
  updated_at: string;
  /** Why nothing goes on without a person; null for a run that goes on, is paused or has ended. */
  needs: Need | null;
  /** The live session that holds the run. */
  held_by: string | null;
  /** When the session that holds it was last seen, if its client is gone. */
  holder_gone: string | null;
  /** Where it stood, and what was left. */
  ended_early: NonNullable<RunState['ended_early']> | null;
  /** Of the state file or the record, from the project root. */
  path: string;
}

export function summaryOf(context: LivenessContext, run: Run): RunSummary {
  const { state } = run;
  const mayBeHeld = isActive(run) && !isArchived(run);

  return {
    run_id: run.runId,
    workflow: state.workflow,
    workflow_type: state.workflow_type,
    status: summaryStatus(run),
    phase: state.phase,
    skipped: state.skipped ?? {},
    needs: isArchived(run) ? null : needOf(run, context),
    // When it was last written, by holdfast or by hand.
    updated_at: new Date(recencyOf(run)).toISOString(),
    held_by: mayBeHeld ? liveHolder(state, context) : null,
    holder_gone: mayBeHeld ? goneSince(state, context) : null,
    ended_early: state.ended_early ?? null,
    path: run.path,
  };
}

/** A run that was reopened and ended again leaves its earlier record in the archive, with the status of that first end. */
function summaryStatus(run: Run): RunSummary['status'] {
  if (isArchived(run) && isReplaced(run.runId)) return 'replaced';
  return run.state.status ?? 'in_progress';
}
