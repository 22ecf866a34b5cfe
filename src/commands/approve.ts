import { requireBounded } from '../runs/advance.ts';
import { withRun } from '../runs/change-run.ts';
import { saveMove } from '../runs/move-run.ts';
import { passGates, requireSamePosition } from '../runs/pass-gates.ts';
import { findTargetRun, requireActive, requireRun } from '../runs/which-run.ts';
import { holderOf } from '../sessions/holder.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import { WakeMarks } from '../state/store/state-folder.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { feedbackTag, withFeedback } from '../templates/machine/preserved.ts';
import { type WorkflowStateMachine, noApproval } from '../templates/machine/machine.ts';
import { waysToAnswer } from '../templates/machine/pivot.ts';
import { pivotRefusal } from '../templates/run-view.ts';
import { machineOf, machineWithGates, withMachine } from '../templates/template-run.ts';
import { attempt, HoldfastError } from '../text/holdfast-error.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { mayAnswerFor } from '../sessions/rights.ts';
import { command, requirePerson } from './command.ts';
import { required, textOption, textOrStdinOption } from './options.ts';
import { continuation, leftText, showMove } from './view/report-run.ts';

export const approve = command({
  usage: 'approve [run]',
  about:
    'accept what an approval step shows, so that the run continues (only you: here, or as /holdfast:approve in Claude Code)',
  examples: [
    'holdfast approve',
    'holdfast approve --note "ship it, but leave the old API in place"',
  ],
  agent: 'asked',
  takesProof: true,
  options: { note: textOrStdinOption('what later steps should know; - reads standard input') },
  run: async (cli, { run: name, note }) => {
    requireAnswerByPerson(cli, 'approve', name);
    requireBounded('--note', note);
    const target = findTargetRun(cli, name);
    requireApprovalIn(target);
    const gated = machineWithGates(target.state);
    // Gates may take minutes, so they run before the lock is taken.
    const gates = gated === null ? [] : await passGates(cli, target.runId, gated, 'approve');
    const moved = withRun(cli, target.runId, (run, tx, log) => {
      const machine = requireApprovalIn(run);
      if (gated !== null) requireSamePosition(run, gated, machine);
      const { step } = machine.state;
      const { text } = machine.getStatus().progress;
      machine.approve(note);
      const after = withMachine(run.state, machine);
      const event = log({
        event: 'approved',
        step,
        phase: after.phase,
        ...(note === undefined ? {} : { note }),
        ...(gates.length === 0 ? {} : { gates }),
      });
      const saved = saveMove(cli, tx, run, after, event, { isForSession: false });
      wakeHolder(cli, run);
      return { ...saved, approved: sanitizeLine(text).replace(/, waiting for .*$/, '') };
    });
    const done = leftText(moved, `Approved ${moved.approved}`);
    return showMove(cli, moved, { done, next: continuation(cli, moved.run) });
  },
});

const feedbackOption = required(
  textOrStdinOption('what has to change, and why; - reads standard input'),
);

export const reject = command({
  usage: 'reject [run]',
  about:
    'send the work of an approval step back with feedback (only you: here, or as /holdfast:reject in Claude Code)',
  examples: ['holdfast reject --feedback "the plan leaves out the migration"'],
  agent: 'asked',
  takesProof: true,
  options: { feedback: feedbackOption },
  run: (cli, { run, feedback }) => {
    requireAnswerByPerson(cli, 'reject', run);
    const { from, to, tag, ...moved } = sendBack(cli, run, feedback, null);
    wakeHolder(cli, moved.run);
    return showMove(cli, moved, {
      done: `Rejected ${sanitizeLine(from)}: the work goes back to ${sanitizeLine(to)}. The feedback is kept as ${tag} until that step is finished.`,
      isMove: false,
      next: continuation(cli, moved.run),
      data: { pivot: { from, to, tag } },
    });
  },
});

export const pivot = command({
  usage: 'pivot <step>',
  about: 'go back to an earlier step, with feedback that survives a /clear',
  examples: [
    'holdfast pivot planning --feedback "the estimate leaves out the migration"',
    'holdfast pivot planning --feedback - < review.md',
  ],
  agent: 'may',
  options: { feedback: feedbackOption, run: textOption('the run to change', 'run') },
  run: (cli, { step, feedback, run }) => {
    const { left, from, to, tag, ...moved } = sendBack(cli, run, feedback, step);
    return showMove(cli, moved, {
      done: `Went back from ${sanitizeLine(left)} to ${sanitizeLine(to)}. The feedback is kept as ${tag} until that step is finished.`,
      data: { pivot: { from, to, tag } },
    });
  },
});

function requireApprovalIn(run: StoredRun): WorkflowStateMachine {
  requireActive(run, 'approve');
  const machine = machineOf(run.state);
  if (machine?.state.stepType === 'approval') return machine;
  throw noApproval(machine?.state.step ?? null, run.runId);
}

/** An idle client is woken by this file (see bin/hook.sh), unless its module looks at the run by itself. */
function wakeHolder({ registry, config }: OperationContext, { state }: StoredRun): void {
  const holder = holderOf(state);
  if (holder !== null && registry.entry(holder)?.module === undefined)
    new WakeMarks(config).wake(holder, ['FileChanged']);
}

/** An approval that the agent could give to itself would be none. */
function requireAnswerByPerson(
  context: OperationContext,
  verb: 'approve' | 'reject',
  name: string | undefined,
): void {
  requirePerson(context, 'approval', verb, () => waysToAnswer(runMeant(context, name), false));
  const { caller, store, registry } = context;
  // The module names the run by its whole id, so that no rule for names can choose another one below.
  const run = store.list().runs.find(({ runId }) => runId === name);
  const holder = run === undefined ? null : holderOf(run.state);
  const client = holder === null ? null : registry.clientOf(holder);
  if (mayAnswerFor(caller, client)) return;
  const message = 'this Claude Code has no session that holds the run';
  const hint = `answer in a terminal: \`holdfast ${verb}${run === undefined ? '' : ` ${run.runId}`}\``;
  throw new HoldfastError('run_of_other_client', message, { hint });
}

/** The run that the agent means, for the user's terminal, where the same words may mean another one; else empty. */
function runMeant(context: OperationContext, name: string | undefined): string {
  const run = attempt(() => requireRun(context.store.list().runs, name, context));
  return run instanceof HoldfastError ? '' : ` ${run.runId}`;
}

/** Sends the work back to the step that the agent names; null: the user rejects an approval, and its step says where to. */
function sendBack(
  context: OperationContext,
  name: string | undefined,
  feedback: string,
  target: string | null,
) {
  const text = checkedFeedback(feedback);
  const result = withRun(context, name, (run, tx, log) => {
    requireActive(run, target === null ? 'reject' : 'pivot');
    const machine = machineOf(run.state);
    if (machine === null) throw target === null ? noApproval(null, run.runId) : noSteps(run.runId);
    const from = machine.state.step;
    const left = machine.getStatus().progress.text;
    const refusal = attempt(() => (target === null ? machine.reject() : machine.pivot(target)));
    if (refusal instanceof HoldfastError) {
      // Too many pivots block the run, so that the user is asked; any other failure leaves it unchanged.
      if (refusal.code !== 'too_many_pivots') throw refusal;
      const state: RunState = {
        ...run.state,
        phase: { ...run.state.phase, status: 'blocked' },
        status_reason: pivotRefusal(run.state),
      };
      const to = target === null ? {} : { to: target };
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
    const { phase } = moved;
    const isForSession = target !== null;
    const what = { from, to, feedback: text, phase };
    const event = log({ event: isForSession ? 'pivoted' : 'rejected', ...what });
    const saved = saveMove(context, tx, run, moved, event, { isForSession });
    return { ...saved, left, from, to, tag };
  });
  if (result instanceof HoldfastError) throw result;
  return result;
}

function noSteps(runId: string): HoldfastError {
  const message = `${runId} has no template, so it has no steps to go back to`;
  const hint = `set its phase with \`holdfast update ${runId} --phase <n>\`, and keep the feedback with \`holdfast update ${runId} --remind "…"\``;
  return new HoldfastError('no_steps_to_go_back', message, { hint });
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
