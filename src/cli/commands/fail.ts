import { unreachable } from '../../util/unreachable.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { failRun, type FailedStep } from '../../operations/fail.ts';
import { failureOf } from '../../state/failure.ts';
import type { CommandContext } from '../context.ts';
import { nonBlank } from '../options.ts';
import { reportChange, reportEnd } from '../output/report-run.ts';

export function fail(
  cli: CommandContext,
  name: string | undefined,
  options: { reason: string },
): void {
  const result = failRun(cli, name, nonBlank('--reason', options.reason));
  const { run, action, outcome, artifacts } = result;
  const done = doneText(result);
  if (run.state.status === 'completed') reportEnd(cli, run, done);
  else
    reportChange(cli, run, {
      done,
      isMove: outcome !== null && outcome.outcome !== 'abort',
      action,
      details: [artifacts.text],
      data: { artifacts: artifacts.due },
    });
}

function doneText({ failed, outcome, run }: FailedStep): string {
  const what = sanitizeLine(failed);
  const sentence = `${what.charAt(0).toUpperCase()}${what.slice(1)}`;
  if (outcome === null) {
    const tries = failureOf(run.state)?.tries ?? 1;
    return `${sentence} is blocked${tries === 1 ? '' : `; it has failed ${tries} times`}.\nThe run stays active, and every session that continues it is told the reason.`;
  }
  switch (outcome.outcome) {
    case 'retry':
      return `${sentence} failed and is tried again (retry ${outcome.attempt ?? 1} of ${outcome.of ?? 1}).`;
    case 'skip':
      return `${sentence} failed and is skipped.`;
    case 'abort':
      return `${sentence} failed, and so did the run${outcome.gated === true ? ': its gate cannot be skipped' : ''}. It can continue where it stopped.`;
    default:
      return unreachable(outcome.outcome);
  }
}
