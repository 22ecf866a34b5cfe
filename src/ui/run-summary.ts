import {
  goneSince,
  liveHolder,
  type LivenessContext,
} from '../sessions/holder.ts';
import { isActive, recencyOf } from '../sessions/select-run.ts';
import { isArchived, isReplaced } from '../state/paths.ts';
import type { RunState, Run } from '../state/types.ts';
import { needOf, type Need } from './need.ts';

/** A run in a list, as `list --json` prints it and the page gets it. */
export interface RunSummary {
  run_id: string;
  workflow: RunState['workflow'];
  workflow_type: RunState['workflow_type'];
  status: NonNullable<RunState['status']> | 'replaced';
  phase: RunState['phase'];
  skipped: NonNullable<RunState['skipped']>;
  /** When the run was last written, by holdfast or by hand. */
  updated_at: string;
  /** Why nothing goes on without a person; null for a run that goes on, is paused or has ended. */
  needs: Need | null;
  /** The live session that holds the run; null if there is none. */
  held_by: string | null;
  /** When the session that holds it was last seen, if its client is gone; null for any other run. */
  holder_gone: string | null;
  ended_early: NonNullable<RunState['ended_early']> | null;
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
