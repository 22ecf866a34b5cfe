import { requireBounded } from '../runs/advance.ts';
import { withRun } from '../runs/change-run.ts';
import { machineAtWait } from '../runs/find-wait.ts';
import { saveMove } from '../runs/move-run.ts';
import { passGates } from '../runs/pass-gates.ts';
import { machineWithGates, withMachine } from '../state/template-run.ts';
import { placeOfWait } from '../templates/waits.ts';
import {
  ANSWER_OPTIONS,
  answererField,
  requireAnswerByPerson,
  showRepeated,
  waitToAnswer,
  wakeHolder,
} from './answer/answer-wait.ts';
import { command, type Shown } from './command.ts';
import type {
  CommandDocuments,
  RepeatedAnswerDocument,
} from './json/documents.ts';
import { textOrStdinOption } from './options.ts';
import { continuation, leftText, showMove } from './view/report-run.ts';

export const approve = command({
  usage: 'approve [run]',
  about:
    'accept what an approval step shows, so that the run continues (only you: here, or as /holdfast:approve in Claude Code)',
  examples: [
    'holdfast approve',
    'holdfast approve --note "ship it, but leave the old API in place"',
    'holdfast approve release --for agree@01f0c3a9e --by "Ann, in the release channel"',
  ],
  takesProof: true,
  options: {
    note: textOrStdinOption(
      'what later steps should know; - reads standard input',
    ),
    ...ANSWER_OPTIONS,
  },
  run: async (
    cli,
    { run: name, note, for: named, by: who },
  ): Promise<Shown<CommandDocuments['approve'] | RepeatedAnswerDocument>> => {
    requireAnswerByPerson(cli, 'approve', name);
    requireBounded('--note', note);
    const waiting = await waitToAnswer(cli, name, 'approve', named);
    const { wait } = waiting;
    if (waiting.isRepeated)
      return showRepeated(cli, waiting.run, 'approve', wait);

    const { runId } = waiting.run;
    const gated = machineWithGates(waiting.run);
    // Gates may take minutes, so they run before the lock is taken.
    const gates =
      gated === null
        ? []
        : await passGates(cli, runId, gated, { move: 'approve' });

    const answered = withRun(cli, runId, (run, tx, log) => {
      const machine = machineAtWait(run, 'approve', wait);
      // Somebody has given the same answer since it was asked for.
      if (machine === null) return { repeated: run };
      const { step } = machine.state;
      machine.approve(note);
      const after = withMachine(run, machine);
      const event = log({
        event: 'approved',
        step,
        phase: after.state.phase,
        wait,
        ...answererField(who),
        ...(note === undefined ? {} : { note }),
        ...(gates.length === 0 ? {} : { gates }),
      });
      const moved = saveMove(cli, cli.caller, tx, {
        before: run,
        after,
        event,
        isForSession: false,
      });
      wakeHolder(cli, run);
      return { moved, left: placeOfWait(run) };
    });

    if ('repeated' in answered)
      return showRepeated(cli, answered.repeated, 'approve', wait);
    const { moved, left } = answered;
    const done = leftText(moved, `Approved ${left}`);
    return showMove(cli, moved, { done, next: continuation(cli, moved.run) });
  },
});
