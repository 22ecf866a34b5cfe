import { blockPhase, phaseLabel } from '../state/phases.ts';
import { machineOf, withMachine } from '../workflow/template-run.ts';
import type { FailOutcome } from '../workflow/machine/transitions.ts';
import { saveProgress, type Delivery } from './save-run.ts';
import type { OperationContext } from './context.ts';
import { requireActive, withActor, withRun } from './with-run.ts';
import { holdIfFree } from './take-hold.ts';

export interface Failed extends Delivery {
  /** What failed, in words. */
  failed: string;
  /** What the template makes of it; null in a run without one, whose phase is blocked. */
  outcome: FailOutcome | null;
}

export function failRun(desk: OperationContext, name: string | undefined, reason: string): Failed {
  return withRun(desk, name, (found, tx) => {
    requireActive(found, 'fail');
    const { run, taken } = holdIfFree(desk, tx, found);
    const machine = machineOf(run.state);
    const { phase } = run.state;
    if (machine === null) {
      const state = { ...blockPhase(run.state, reason), adopted: true };
      const event = withActor(desk, { event: 'failed', phase, reason, ...taken });
      return {
        run: tx.write(run, state, event),
        action: null,
        failed: `phase ${phaseLabel(phase)}`,
        outcome: null,
      };
    }
    const failed = machine.getStatus().progress.text;
    const outcome = machine.fail(reason);
    const moved = { ...withMachine(run.state, machine), adopted: true };
    const event = withActor(desk, { event: 'failed', phase, failed, reason, ...outcome, ...taken });
    return { ...saveProgress(desk, tx, run, moved, event), failed, outcome };
  });
}
