import type { RunState, StoredRun } from '../state/types.ts';
import { endRun } from './end-run.ts';
import type { OperationContext } from './open-project.ts';
import { withActor, withRun } from './with-run.ts';

/** Ends a run as given up. Its record stays in the archive, with the reason. */
export function cancelRun(
  context: OperationContext,
  name: string | undefined,
  reason: string,
): StoredRun {
  return withRun(context, name, (run, tx) => {
    const state: RunState = { ...run.state, status: 'cancelled', status_reason: reason };
    const event = withActor(context, { event: 'cancelled', reason, phase: run.state.phase });
    return endRun(context, tx, run, state, event, false);
  });
}
