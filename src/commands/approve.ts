import { requireBounded } from '../runs/advance.ts';
import { withRun } from '../runs/change-run.ts';
import { saveMove } from '../runs/move-run.ts';
import { passGates, requireSamePosition } from '../runs/pass-gates.ts';
import { findTargetRun, requireActive, requireRun } from '../runs/which-run.ts';
import { holderOf } from '../sessions/holder.ts';
import { type OperationContext, isRunByAgent } from '../sessions/open-project.ts';
import { WakeMarks } from '../state/store/state-folder.ts';
import type { StoredRun } from '../state/types.ts';
import { type WorkflowStateMachine, noApproval } from '../templates/machine/machine.ts';
import { waysToAnswer } from '../templates/machine/pivot.ts';
import { machineOf, machineWithGates, withMachine } from '../templates/template-run.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { command } from './command.ts';
import { textOrStdinOption } from './options.ts';
import { feedbackOption, sendBack } from './pivot.ts';
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
  options: {
    note: textOrStdinOption('what later steps should know; - reads standard input'),
  },
  run: async (context, { run: name, note }) => {
    requirePerson(context, 'approve', name);
    requireBounded('--note', note);
    const target = findTargetRun(context, name);
    requireApprovalIn(target);
    const gated = machineWithGates(target.state);
    // Gates may take minutes, so they run before the lock is taken.
    const gates = gated === null ? [] : await passGates(context, target.runId, gated, 'approve');
    return withRun(context, target.runId, (run, tx, log) => {
      const machine = requireApprovalIn(run);
      if (gated !== null) requireSamePosition(run, gated, machine);
      const { step } = machine.state;
      const approved = machine.getStatus().progress.text;
      machine.approve(note);
      const moved = withMachine(run.state, machine);
      const event = log({
        event: 'approved',
        step,
        phase: moved.phase,
        ...(note === undefined ? {} : { note }),
        ...(gates.length === 0 ? {} : { gates }),
      });
      const saved = saveMove(context, tx, run, moved, event, { isForSession: false });
      wakeHolder(context, run);
      return { ...saved, approved };
    });
  },
  show: (cli, moved) =>
    showMove(cli, moved, {
      done: leftText(
        moved,
        `Approved ${sanitizeLine(moved.approved).replace(/, waiting for .*$/, '')}`,
      ),
      next: continuation(cli, moved.run),
    }),
});

export const reject = command({
  usage: 'reject [run]',
  about:
    'send the work of an approval step back with feedback (only you: here, or as /holdfast:reject in Claude Code)',
  examples: ['holdfast reject --feedback "the plan leaves out the migration"'],
  agent: 'asked',
  options: { feedback: feedbackOption },
  run: (context, { run, feedback }) => {
    requirePerson(context, 'reject', run);
    const sent = sendBack(context, run, feedback, { command: 'reject', event: 'rejected' });
    wakeHolder(context, sent.run);
    return sent;
  },
  show: (cli, { from, to, tag, ...moved }) =>
    showMove(cli, moved, {
      done: `Rejected ${sanitizeLine(from)}: the work goes back to ${sanitizeLine(to)}. The feedback is kept as ${tag} until that step is finished.`,
      isMove: false,
      next: continuation(cli, moved.run),
      data: { pivot: { from, to, tag } },
    }),
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
function requirePerson(
  context: OperationContext,
  verb: 'approve' | 'reject',
  name: string | undefined,
): void {
  if (!isRunByAgent(context)) return;
  const run = runMeant(context, name);
  throw new HoldfastError(
    'approval_from_agent',
    `only a person can ${verb}, not an agent's session`,
    {
      hint: `ask the user to type ${waysToAnswer(run === null ? '' : ` ${run}`, false)}`,
    },
  );
}

/** The run that the agent means, for the user's terminal, where the same words may mean another one. */
function runMeant(context: OperationContext, name: string | undefined): string | null {
  try {
    return requireRun(context.store.list().runs, name, context).runId;
  } catch (error) {
    if (error instanceof HoldfastError) return null;
    throw error;
  }
}
