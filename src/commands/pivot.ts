import { requireBounded } from '../runs/advance.ts';
import { withRun } from '../runs/change-run.ts';
import { saveMove } from '../runs/move-run.ts';
import { requireActive } from '../runs/which-run.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import type { StoredRun } from '../state/types.ts';
import { feedbackTag, withFeedback } from '../templates/machine/preserved.ts';
import { type WorkflowStateMachine, noApproval } from '../templates/machine/machine.ts';
import { machineOf, withMachine } from '../templates/template-run.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { command } from './command.ts';
import { required, textOption, textOrStdinOption } from './options.ts';
import { showMove } from './view/report-run.ts';

export const feedbackOption = required(
  textOrStdinOption('what has to change, and why; - reads standard input'),
);

export const pivot = command({
  usage: 'pivot <step>',
  about: 'go back to an earlier step, with feedback that survives a /clear',
  examples: [
    'holdfast pivot planning --feedback "the estimate leaves out the migration"',
    'holdfast pivot planning --feedback - < review.md',
  ],
  agent: 'may',
  options: { feedback: feedbackOption, run: textOption('the run to change', 'run') },
  run: (context, { step: to, feedback, run }) =>
    sendBack(context, run, feedback, { command: 'pivot', event: 'pivoted', to }),
  show: (cli, { left, from, to, tag, ...moved }) =>
    showMove(cli, moved, {
      done: `Went back from ${sanitizeLine(left)} to ${sanitizeLine(to)}. The feedback is kept as ${tag} until that step is finished.`,
      data: { pivot: { from, to, tag } },
    }),
});

/** What sends the work back: the agent to a step it names, or the user by rejecting an approval. */
type Cause =
  | { command: 'pivot'; event: 'pivoted'; to: string }
  | { command: 'reject'; event: 'rejected' };

export function sendBack(
  context: OperationContext,
  name: string | undefined,
  feedback: string,
  cause: Cause,
) {
  const text = checkedFeedback(feedback);
  const result = withRun(context, name, (run, tx, log) => {
    requireActive(run, cause.command);
    const machine = requireMachine(run, cause);
    const from = machine.state.step;
    const left = machine.getStatus().progress.text;
    const refusal = tryPivot(machine, cause);
    if (refusal !== null) {
      const state = { ...run.state, phase: { ...run.state.phase, status: 'blocked' as const } };
      const to = cause.command === 'pivot' ? { to: cause.to } : {};
      tx.write(run, state, log({ event: 'pivot_refused', from, ...to, feedback: text }));
      return refusal;
    }
    const to = machine.state.step;
    const { session } = context;
    const tag = feedbackTag(from);
    const moved = withFeedback(withMachine(run.state, machine), {
      from,
      to,
      tag,
      text,
      at: context.now.toISOString(),
      ...(session === null ? {} : { session_id: session }),
    });
    const event = log({ event: cause.event, from, to, feedback: text, phase: moved.phase });
    const isForSession = cause.command === 'pivot';
    const saved = saveMove(context, tx, run, moved, event, { isForSession });
    return { ...saved, left, from, to, tag };
  });
  if (result instanceof HoldfastError) throw result;
  return result;
}

function requireMachine(run: StoredRun, cause: Cause): WorkflowStateMachine {
  const machine = machineOf(run.state);
  if (machine !== null) return machine;
  if (cause.command === 'reject') throw noApproval(null, run.runId);
  throw new HoldfastError(
    'no_steps_to_go_back',
    `${run.runId} has no template, so it has no steps to go back to`,
    {
      hint: `set its phase with \`holdfast update ${run.runId} --phase <n>\`, and keep the feedback with \`holdfast update ${run.runId} --remind "…"\``,
    },
  );
}

function checkedFeedback(feedback: string): string {
  const text = feedback.trim();
  // Characters that leave the feedback blank on the screen.
  const invisible = /[\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/gu;
  if (text.replace(invisible, '') === '')
    throw new HoldfastError('blank_feedback', 'the feedback is blank', {
      hint: 'say what is wrong and what to do differently; the earlier step works from it',
    });
  requireBounded('--feedback', text, 'name that in the feedback');
  return text;
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
