import { holderOf, recordCompletedPhase } from '../sessions/holder.ts';
import { phaseName } from '../state/phases.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { machineOf } from '../workflow/template-run.ts';
import { isDriven } from './driver-record.ts';
import { endRun } from './end-run.ts';
import type { OperationContext } from './open-project.ts';
import { withActor, withRun } from './with-run.ts';

/** Ends a run as done, wherever it stands. */
export function completeRun(
  context: OperationContext,
  name: string | undefined,
  options: { purge: boolean },
): StoredRun {
  return withRun(context, name, (run, tx) => {
    requireNoStepsLeft(context, run);
    const { phase } = run.state;
    const done: RunState = { ...run.state, phase: { ...phase, status: 'completed' } };
    const holder = holderOf(run.state);
    const state =
      holder === null ? done : recordCompletedPhase(done, holder, phaseName(phase), context.now);
    const event = withActor(context, { event: 'completed', phase });
    return endRun(context, tx, run, state, event, options.purge);
  });
}

/** An agent that is driven would pass by the gates and approvals of the steps that are left. A person may do so. */
function requireNoStepsLeft({ environment }: OperationContext, { runId, state }: StoredRun): void {
  const machine = isDriven(environment, runId) ? machineOf(state) : null;
  if (machine === null) return;
  const { status, progress } = machine.getStatus();
  if (status === 'complete') return;
  const isFailed = status === 'failed';
  const step = progress.text.replace(/, failed$/, '');
  throw new HoldfastError({ code: 'steps_left', run: runId, step, isFailed });
}
