import { isStepUndone, type FailOutcome } from '../machine/machine.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import { recordFailure } from '../state/failure.ts';
import { phaseWords } from '../state/phase-words.ts';
import { blockPhase, markSkipped } from '../state/phases.ts';
import { withState } from '../state/run.ts';
import { machineOf, withMachine } from '../state/template-run.ts';
import type { Run } from '../state/types.ts';
import { withRun } from './change-run.ts';
import { type Moved, saveMove } from './move-run.ts';
import { requireActive, requireBegun } from './which-run.ts';

export interface Failed extends Moved {
  /** The phase or step that failed, within a sentence. */
  failed: string;
  /** What the template does about it; null for a run without one, whose phase is blocked. */
  outcome: FailOutcome | null;
}

/** Reports the current step as failed; its template decides what happens. Without one the phase is blocked. */
export function failRun(
  context: OperationContext,
  name: string | undefined,
  reason: string,
): Failed {
  const { caller } = context;
  return withRun(context, name, (run, tx, log) => {
    requireActive(run, 'fail');
    requireBegun(run);
    const { phase } = run.state;
    const { after, failed, outcome } = failCurrent(run, reason);
    const event = log(
      outcome === null
        ? { event: 'failed', phase, reason }
        : { event: 'failed', phase, failed, reason, ...outcome },
    );
    const moved = saveMove(context, caller, tx, { before: run, after, event });
    return { ...moved, failed, outcome };
  });
}

function failCurrent(
  run: Run,
  reason: string,
): Pick<Failed, 'failed' | 'outcome'> & { after: Run } {
  const { state } = run;
  const machine = machineOf(run);
  if (machine === null) {
    const after = withState(run, blockPhase(state, reason));
    return { after, failed: `phase ${phaseWords(state.phase)}`, outcome: null };
  }
  const { state: before, template } = machine;
  const failed = machine.getStatus().progress.text;
  const outcome = machine.fail(reason);
  if (outcome.outcome !== 'skip') {
    const moved = withMachine(run, machine);
    const after = withState(moved, recordFailure(moved.state, reason));
    return { after, failed, outcome };
  }
  // A step that was left undone is recorded as skipped; one that is tried again or stopped has the failure.
  const isUndone = isStepUndone(template, before, machine.state);
  const marked = isUndone
    ? withState(run, markSkipped(state, state.phase.current, reason))
    : run;
  return { after: withMachine(marked, machine), failed, outcome };
}
