import { goneSince, liveHolder, type LivenessContext } from './holder.ts';
import { isActive, recencyOf } from './select-run.ts';
import { isArchived, isReplaced } from '../state/paths.ts';
import type { StoredRun } from '../state/types.ts';

export type RunSummary = ReturnType<typeof summaryOf>;

/** A run in a list, as `list --json` prints it and the page gets it. */
export function summaryOf(context: LivenessContext, run: StoredRun) {
  const { workflow, workflow_type, status, phase } = run.state;
  const isStored = isActive(run) && !isArchived(run);
  return {
    run_id: run.runId,
    workflow,
    workflow_type,
    status:
      isReplaced(run.runId) && isArchived(run) ? ('replaced' as const) : (status ?? 'in_progress'),
    phase,
    skipped: run.state.skipped ?? {},
    updated_at: new Date(recencyOf(run)).toISOString(),
    held_by: isStored ? liveHolder(run.state, context) : null,
    /** When the session that holds it was last seen, if its client is gone; null for any other run. */
    holder_gone: isStored ? goneSince(run.state, context) : null,
    ended_early: run.state.ended_early ?? null,
    path: run.path,
  };
}
