import { saveMove, type Moved } from '../../runs/move-run.ts';
import { requireBounded } from '../../runs/advance.ts';
import type { OperationContext } from '../../sessions/open-project.ts';
import type { NewEvent } from '../../state/journal.ts';
import type { Transaction } from '../../state/store/store.ts';
import type { RunState, Run } from '../../state/types.ts';
import type { WorkflowStateMachine } from '../../machine/machine.ts';
import { feedbackTag, withFeedback } from '../../state/feedback.ts';
import { pivotRefusal } from '../../state/progress.ts';
import { withState } from '../../state/run.ts';
import { withMachine } from '../../state/template-run.ts';
import { attempt, HoldfastError } from '../../text/holdfast-error.ts';
import { required, textOrStdinOption } from '../options.ts';

export const FEEDBACK_OPTION = required(
  textOrStdinOption('what has to change, and why; - reads standard input'),
);

export interface SentBack extends Moved {
  /** Where the run stood, in words, and by its step. */
  left: string;
  from: string;
  to: string;
  tag: string;
}

/** How a run goes back: the move of its machine, and what the journal says of it. */
interface WayBack {
  go: () => void;
  event: 'pivoted' | 'rejected';
  details: object;
}

/**
 * Goes back in the run by `go` and keeps the feedback for the step that it leads to. A run that was sent back too often is
 * blocked instead, so that the user is asked. That is a change as well, so its refusal is returned: a live session that
 * holds the run is only told of changes that return.
 */
export function sendBack(
  context: OperationContext,
  { run, tx, log, machine }: Change,
  feedback: string,
  { go, event: kind, details }: WayBack,
): SentBack | HoldfastError {
  const from = machine.state.step;
  const left = machine.getStatus().progress.text;
  const refusal = attempt(go);
  if (refusal instanceof HoldfastError) {
    if (refusal.code !== 'too_many_pivots') throw refusal;
    const blocked: RunState = {
      ...run.state,
      phase: { ...run.state.phase, status: 'blocked' },
      status_reason: pivotRefusal(run),
    };
    const event = log({ event: 'pivot_refused', from, ...details, feedback });
    tx.write(run, blocked, event);
    return refusal;
  }

  const to = machine.state.step;
  const { session } = context;
  const tag = feedbackTag(from);
  const back = withMachine(run, machine);
  const state = withFeedback(back.state, {
    from,
    to,
    tag,
    text: feedback,
    at: context.now.toISOString(),
    ...(session === null ? {} : { session_id: session }),
  });
  const moved = withState(back, state);

  const { phase } = state;
  const recorded = log({ event: kind, from, ...details, to, feedback, phase });
  const saved = saveMove(context, context.caller, tx, {
    before: run,
    after: moved,
    event: recorded,
    isForSession: kind === 'pivoted',
  });
  return { ...saved, left, from, to, tag };
}

/** A run under the lock, with its machine. */
interface Change {
  run: Run;
  tx: Transaction;
  log: (event: NewEvent) => NewEvent;
  machine: WorkflowStateMachine;
}

/** Characters that leave the feedback blank on the screen; the last one is an empty Braille pattern. */
const INVISIBLE = /[\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/gu;

export function checkedFeedback(feedback: string): string {
  const text = feedback.trim();
  if (text.replace(INVISIBLE, '') === '')
    throw new HoldfastError('blank_feedback', 'the feedback is blank', {
      hint: 'say what is wrong and what to do differently; the earlier step works from it',
    });
  requireBounded('--feedback', text, 'name that in the feedback');
  return text;
}
