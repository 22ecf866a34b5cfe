import { rejectRun } from '../../operations/reject.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import type { CommandContext } from '../context.ts';
import { textOrStdin } from '../options.ts';
import { reportRun } from '../output/report-run.ts';

export function reject(
  cli: CommandContext,
  name: string | undefined,
  options: { feedback: string },
): void {
  const feedback = textOrStdin('--feedback', options.feedback);
  const { run, from, to, tag } = rejectRun(cli, name, feedback);
  const lead = `Rejected ${sanitizeLine(from)}: the work goes back to ${sanitizeLine(to)}. The feedback is kept as ${tag} until that step is finished.`;
  reportRun(cli, run, [], lead, null, { pivot: { from, to, tag } });
}
