import { HoldfastError } from '../errors/holdfast-error.ts';
import { resolveSession } from '../sessions/holder.ts';
import type { Transaction } from '../state/store/store.ts';
import type { StoredRun } from '../state/types.ts';
import { feedbackTag, withFeedback } from '../workflow/machine/feedback.ts';
import type { WorkflowStateMachine } from '../workflow/machine/machine.ts';
import { machineOf, withMachine } from '../workflow/template-run.ts';
import { artifactsForTransition, type TransitionArtifacts } from './artifacts-at-move.ts';
import { saveProgress, type Delivery } from './save-run.ts';
import type { OperationContext } from './context.ts';
import { requireActive, withActor, withRun } from './with-run.ts';
import { holdIfFree } from './take-hold.ts';

export interface Pivoted extends Delivery {
  /** The step that was left, in words. */
  left: string;
  from: string;
  to: string;
  tag: string;
  artifacts: TransitionArtifacts;
}

/** Back to an earlier step, with words that stay with the run until that step is finished. */
export function pivotRun(
  desk: OperationContext,
  name: string | undefined,
  to: string,
  given: string,
): Pivoted {
  const text = usable(given);
  const result = withRun(desk, name, (found, tx) => {
    requireActive(found, 'pivot');
    const machine = machineOf(found.state);
    if (machine === null)
      throw new HoldfastError({ code: 'no_steps_to_go_back', run: found.runId });
    const from = machine.state.step;
    const left = machine.getStatus().progress.text;
    const refusal = refusalOf(machine, to);
    if (refusal !== null) {
      block(desk, tx, found, { from, to, feedback: text });
      return refusal;
    }
    const { run, taken } = holdIfFree(desk, tx, found);
    const session = desk.session === null ? null : resolveSession(desk.session, tx.runs);
    const tag = feedbackTag(from);
    const moved = withFeedback(withMachine(run.state, machine), {
      from,
      to,
      tag,
      text,
      at: desk.now.toISOString(),
      ...(session === null ? {} : { session_id: session }),
    });
    const artifacts = artifactsForTransition(desk, run, moved);
    const event = withActor(desk, {
      event: 'pivoted',
      from,
      to,
      feedback: text,
      phase: moved.phase,
      ...taken,
    });
    const state = { ...artifacts.state, adopted: true };
    return { ...saveProgress(desk, tx, run, state, event), left, from, to, tag, artifacts };
  });
  if (result instanceof HoldfastError) throw result;
  return result;
}

const MAX_FEEDBACK = 200_000;
/** Nothing that anybody could see. */
const UNSEEN = /[\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/gu;

function usable(given: string): string {
  const text = given.trim();
  if (text.replace(UNSEEN, '') === '') throw new HoldfastError({ code: 'blank_feedback' });
  if (text.length <= MAX_FEEDBACK) return text;
  throw new HoldfastError({
    code: 'bad_value',
    option: '--feedback',
    given: { characters: text.length },
    expected: { kind: 'at_most_characters', max: MAX_FEEDBACK, instead: 'feedback' },
  });
}

/** Any other failure leaves the run as it was; too many pivots are a reason to stop and ask. */
function refusalOf(machine: WorkflowStateMachine, to: string): HoldfastError | null {
  try {
    machine.pivot(to);
    return null;
  } catch (error) {
    if (error instanceof HoldfastError && error.code === 'too_many_pivots') return error;
    throw error;
  }
}

function block(desk: OperationContext, tx: Transaction, run: StoredRun, details: object): void {
  const state = { ...run.state, phase: { ...run.state.phase, status: 'blocked' as const } };
  tx.write(run, state, withActor(desk, { event: 'pivot_refused', ...details }));
}
