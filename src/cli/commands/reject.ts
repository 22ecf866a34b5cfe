import { rejectRun } from '../../operations/reject.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import type { CommandContext } from '../context.ts';
import { textOrStdin } from '../options.ts';
import { artifactsDueText } from '../output/artifacts-due-text.ts';
import { continuation } from '../output/continuation.ts';
import { reportChange } from '../output/report-run.ts';

export function reject(
  cli: CommandContext,
  name: string | undefined,
  options: { feedback: string },
): void {
  const feedback = textOrStdin('--feedback', options.feedback);
  const { run, from, to, tag, artifacts } = rejectRun(cli, name, feedback);
  reportChange(cli, run, {
    done: `Rejected ${sanitizeLine(from)}: the work goes back to ${sanitizeLine(to)}. The feedback is kept as ${tag} until that step is finished.`,
    next: continuation(cli, run),
    details: [artifactsDueText(artifacts)],
    data: { pivot: { from, to, tag }, artifacts: artifacts.due },
  });
}
