import type { OperationContext } from '../sessions/open-project.ts';
import { blockPhase, markSkipped, phaseLabel, recordFailure } from '../state/phases.ts';
import type { RunState } from '../state/types.ts';
import type { WorkflowStateMachine } from '../templates/machine/machine.ts';
import { type FailOutcome, isStepUndone } from '../templates/machine/transitions.ts';
import { parseRun } from '../templates/run-view.ts';
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
    const failed = machine.getStatus().progress.text;
    const outcome = machine.fail(reason);
    const state = afterFailure(run.state, machine, outcome, reason);
    const event = log({ event: 'failed', phase, failed, reason, ...outcome });
    return { ...saveMove(context, tx, run, state, event), failed, outcome };
  });
}

/** A step that was left undone is recorded as skipped with the reason; one that is tried again or stopped has the failure. */
function afterFailure(
  before: RunState,
  machine: WorkflowStateMachine,
  { outcome }: FailOutcome,
  reason: string,
): RunState {
  if (outcome !== 'skip') return recordFailure(withMachine(before, machine), reason);
  const run = parseRun(before);
  const isUndone =
    run.kind === 'template' && isStepUndone(run.template, run.machine, machine.state);
  return withMachine(
    isUndone ? markSkipped(before, before.phase.current, reason) : before,
    machine,
  );
}
