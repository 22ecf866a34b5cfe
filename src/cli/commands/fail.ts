import { unreachable } from '../../util/unreachable.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { failRun, type FailedStep } from '../../operations/fail.ts';
import type { CommandContext } from '../context.ts';
import { nonBlank } from '../options.ts';
import { reportEnd, reportRun } from '../output/report-run.ts';

export function fail(
  cli: CommandContext,
  name: string | undefined,
  options: { reason: string },
): void {
  const result = failRun(cli, name, nonBlank('--reason', options.reason));
  const { run, action } = result;
  if (run.state.status === 'completed') reportEnd(cli, run, lead(result));
  else reportRun(cli, run, [], lead(result), action);
}

function lead({ failed, outcome, run }: FailedStep): string {
  const what = sanitizeLine(failed);
  const sentence = `${what.charAt(0).toUpperCase()}${what.slice(1)}`;
  if (outcome === null) return `${sentence} is blocked.`;
  switch (outcome.outcome) {
    case 'retry':
      return `${sentence} failed and is tried again (retry ${outcome.attempt ?? 1} of ${outcome.of ?? 1}).`;
    case 'skip':
      return `${sentence} failed and is skipped.`;
    case 'abort':
      return `${sentence} failed, and so did the run${outcome.gated === true ? ': its gate cannot be skipped' : ''}. \`holdfast resume ${run.runId}\` continues where it stopped.`;
    default:
      return unreachable(outcome.outcome);
  }
}
