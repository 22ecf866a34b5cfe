import { blockPhase, phaseLabel, markSkipped, recordFailure } from '../state/phases.ts';
import type { RunState } from '../state/types.ts';
import type { WorkflowStateMachine } from '../templates/machine/machine.ts';
import { machineOf, withMachine } from '../templates/template-run.ts';
import { isStepUndone, type FailOutcome } from '../templates/machine/transitions.ts';
import { parseRun } from '../templates/run-view.ts';
import {
  artifactsForTransition,
  type TransitionArtifacts,
  saveProgress,
  type Delivery,
} from './move-run.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import { requireActive } from './which-run.ts';
import { withActor, withRun } from './change-run.ts';

export interface FailedStep extends Delivery {
  /** The phase or step that failed, for people. */
  failed: string;
  /** What the template decided; null in a run without a template, whose phase is now blocked. */
  outcome: FailOutcome | null;
  /** What is due if the failure led to another step. */
  artifacts: TransitionArtifacts;
}

/** Reports the current step as failed; its template decides what happens. Without one the phase is blocked. */
export function failRun(
  context: OperationContext,
  name: string | undefined,
  reason: string,
): FailedStep {
  return withRun(context, name, (run, tx, taken) => {
    requireActive(run, 'fail');
    const machine = machineOf(run.state);
    const { phase } = run.state;
    if (machine === null) {
      const state = { ...blockPhase(run.state, reason), adopted: true };
      const event = withActor(context, { event: 'failed', phase, reason, ...taken });
      return {
        run: tx.write(run, state, event),
        action: null,
        failed: `phase ${phaseLabel(phase)}`,
        outcome: null,
        artifacts: artifactsForTransition(context, run, state),
      };
    }
    const failed = machine.getStatus().progress.text;
    const outcome = machine.fail(reason);
    const moved = afterFailure(run.state, machine, outcome, reason);
    const artifacts = artifactsForTransition(context, run, moved);
    const state = { ...artifacts.state, adopted: true };
    const event = withActor(context, {
      event: 'failed',
      phase,
      failed,
      reason,
      ...outcome,
      ...taken,
    });
    return { ...saveProgress(context, tx, run, state, event), failed, outcome, artifacts };
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
