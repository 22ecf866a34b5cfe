import { HoldfastError } from '../errors/holdfast-error.ts';
import type { Transaction } from '../state/store/store.ts';
import type { StoredRun } from '../state/types.ts';
import { feedbackTag, withFeedback } from '../workflow/machine/feedback.ts';
import type { WorkflowStateMachine } from '../workflow/machine/machine.ts';
import { machineOf, withMachine } from '../workflow/template-run.ts';
import { artifactsForTransition, type TransitionArtifacts } from './artifacts-at-move.ts';
import { holdIfFree, saveProgress, saveUndelivered, type Delivery } from './move-run.ts';
import type { OperationContext } from './open-project.ts';
import { callerSession, requireActive } from './target-run.ts';
import { withActor, withRun } from './with-run.ts';
import { isoTime } from '../util/iso-time.ts';

export interface Pivoted extends Delivery {
  /** The step that was left, for people. */
  left: string;
  from: string;
  to: string;
  tag: string;
  artifacts: TransitionArtifacts;
}

/** Goes back to an earlier step; the feedback is kept in the run until that step is finished. */
export function pivotRun(
  context: OperationContext,
  name: string | undefined,
  to: string,
  feedback: string,
): Pivoted {
  return sendBack(context, name, feedback, { command: 'pivot', event: 'pivoted', to });
}

/** What sends the work back: the agent to a step it names, or the user by rejecting an approval. */
type Cause =
  | { command: 'pivot'; event: 'pivoted'; to: string }
  | { command: 'reject'; event: 'rejected' };

export function sendBack(
  context: OperationContext,
  name: string | undefined,
  feedback: string,
  cause: Cause,
): Pivoted {
  const text = checkedFeedback(feedback);
  const result = withRun(context, name, (found, tx) => {
    requireActive(found, cause.command);
    const machine = requireMachine(found, cause);
    const from = machine.state.step;
    const left = machine.getStatus().progress.text;
    const refusal = tryPivot(machine, cause);
    if (refusal !== null) {
      block(context, tx, found, {
        from,
        ...(cause.command === 'pivot' ? { to: cause.to } : {}),
        feedback: text,
      });
      return refusal;
    }
    const to = machine.state.step;
    const { run, taken } = holdIfFree(context, tx, found);
    const session = callerSession(context, tx.runs);
    const tag = feedbackTag(from);
    const moved = withFeedback(withMachine(run.state, machine), {
      from,
      to,
      tag,
      text,
      at: isoTime(context.now),
      ...(session === null ? {} : { session_id: session }),
    });
    const isForSession = cause.command === 'pivot';
    const artifacts = artifactsForTransition(context, run, moved, isForSession);
    const event = withActor(context, {
      event: cause.event,
      from,
      to,
      feedback: text,
      phase: moved.phase,
      ...taken,
    });
    const state = { ...artifacts.state, adopted: true };
    const delivery =
      cause.command === 'pivot'
        ? saveProgress(context, tx, run, state, event)
        : { run: saveUndelivered(context, tx, run, state, event), action: null };
    return { ...delivery, left, from, to, tag, artifacts };
  });
  if (result instanceof HoldfastError) throw result;
  return result;
}

function requireMachine(run: StoredRun, { command }: Cause): WorkflowStateMachine {
  const machine = machineOf(run.state);
  if (machine !== null) return machine;
  throw new HoldfastError(
    command === 'pivot'
      ? { code: 'no_steps_to_go_back', run: run.runId }
      : { code: 'no_approval', step: null, run: run.runId },
  );
}

const MAX_FEEDBACK = 200_000;
/** Characters that leave the feedback blank on the screen. */
const INVISIBLE = /[\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/gu;

function checkedFeedback(feedback: string): string {
  const text = feedback.trim();
  if (text.replace(INVISIBLE, '') === '') throw new HoldfastError({ code: 'blank_feedback' });
  if (text.length <= MAX_FEEDBACK) return text;
  throw new HoldfastError({
    code: 'bad_value',
    option: '--feedback',
    given: { characters: text.length },
    expected: { kind: 'at_most_characters', max: MAX_FEEDBACK, instead: 'feedback' },
  });
}

/** Too many pivots block the run, so that the user is asked; any other failure leaves it unchanged. */
function tryPivot(machine: WorkflowStateMachine, cause: Cause): HoldfastError | null {
  try {
    if (cause.command === 'pivot') machine.pivot(cause.to);
    else machine.reject();
    return null;
  } catch (error) {
    if (error instanceof HoldfastError && error.code === 'too_many_pivots') return error;
    throw error;
  }
}

function block(context: OperationContext, tx: Transaction, run: StoredRun, details: object): void {
  const state = { ...run.state, phase: { ...run.state.phase, status: 'blocked' as const } };
  tx.write(run, state, withActor(context, { event: 'pivot_refused', ...details }));
}
