import { failRun } from '../runs/fail-run.ts';
import { failureOf } from '../state/failure.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { command, RUN, tool, type Shown } from './command.ts';
import type { CommandDocuments } from './json/documents.ts';
import { required, textOption } from './options.ts';
import { runReply, showMove } from './view/report-run.ts';
import { nextCommand } from '../templates/what-to-type-next.ts';

export const fail = command({
  usage: 'fail [run]',
  about:
    'report that the step failed: its template decides what happens; without one the phase is blocked',
  examples: ['holdfast fail --reason "the tests need a database"'],
  options: { reason: required(textOption('why')) },
  run: (cli, { run, reason }): Shown<CommandDocuments['fail']> => {
    const result = failRun(cli, run, reason);
    return showMove(cli, result, {
      done: outcomeText(result),
      isMove: hasMoved(result),
    });
  },
  tool: tool({
    name: 'workflow_fail',
    about:
      'Reports that the step cannot be done: its template tries it again, skips it or stops; a run without one is blocked.',
    takes: { reason: required(textOption('Why')), run: RUN },
    reply: (context, { run, reason }) => {
      const result = failRun(context, run, reason);
      const next = hasMoved(result)
        ? ''
        : ` Next: ${nextCommand(context, result.run, null)}`;
      return runReply(context, result, `${outcomeText(result)}${next}`);
    },
  }),
});

type FailedStep = ReturnType<typeof failRun>;

function hasMoved({ outcome }: FailedStep): boolean {
  return outcome !== null && outcome.outcome !== 'abort';
}

function outcomeText({ failed, outcome, run }: FailedStep): string {
  const what = sanitizeLine(failed);
  const subject = `${what.charAt(0).toUpperCase()}${what.slice(1)}`;
  // In a run without a template, no step says what a failure leads to.
  if (outcome === null) {
    const tries = failureOf(run.state)?.tries ?? 1;
    return `${subject} is blocked${tries === 1 ? '' : `; it has failed ${tries} times`}.`;
  }
  const { attempt = 1, of = 1, gated } = outcome;
  return {
    retry: `${subject} failed and is tried again (retry ${attempt} of ${of}).`,
    skip: `${subject} failed and is skipped.`,
    abort: `${subject} failed, and so did the run${gated === true ? ': its gate cannot be skipped' : ''}. It can continue where it stopped.`,
  }[outcome.outcome];
}
