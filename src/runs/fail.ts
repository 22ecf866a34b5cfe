import type { OperationContext } from '../sessions/open-project.ts';
import { blockPhase, markSkipped, phaseLabel, recordFailure } from '../state/phases.ts';
import { type FailOutcome, isStepUndone } from '../templates/machine/machine.ts';
import { machineOf, withMachine } from '../templates/template-run.ts';
import { withRun } from './change-run.ts';
import { type Moved, saveMove } from './move-run.ts';
import { requireActive } from './which-run.ts';

export interface FailedStep extends Moved {
  /** The phase or step that failed, for people. */
  failed: string;
  /** What the template decided; null in a run without a template, whose phase is now blocked. */
  outcome: FailOutcome | null;
}

/** Reports the current step as failed; its template decides what happens. Without one the phase is blocked. */
export function failRun(
  context: OperationContext,
  name: string | undefined,
  reason: string,
): FailedStep {
  return withRun(context, name, (run, tx, log) => {
    requireActive(run, 'fail');
    const { phase } = run.state;
    const machine = machineOf(run.state);
    if (machine === null) {
      const state = blockPhase(run.state, reason);
      const moved = saveMove(context, tx, run, state, log({ event: 'failed', phase, reason }));
      return { ...moved, failed: `phase ${phaseLabel(phase)}`, outcome: null };
    }
    const { state: before, template } = machine;
    const failed = machine.getStatus().progress.text;
    const outcome = machine.fail(reason);
    const event = log({ event: 'failed', phase, failed, reason, ...outcome });
    // A step that was left undone is recorded as skipped; one that is tried again or stopped has the failure.
    const isUndone = outcome.outcome === 'skip' && isStepUndone(template, before, machine.state);
    const marked = isUndone ? markSkipped(run.state, phase.current, reason) : run.state;
    const moved = withMachine(marked, machine);
    const state = outcome.outcome === 'skip' ? moved : recordFailure(moved, reason);
    return { ...saveMove(context, tx, run, state, event), failed, outcome };
  });
}
