import { resumeRun } from '../../operations/resume.ts';
import { phaseLabel } from '../../state/phases.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import type { CommandContext } from '../context.ts';
import { continuation } from '../output/continuation.ts';
import { NO_SESSION, reportChange } from '../output/report-run.ts';
import { statusReport } from '../output/status-report.ts';

/** `resume` and `claim`. */
export function resume(
  cli: CommandContext,
  name: string | undefined,
  options: { force?: boolean },
): void {
  const { run, guidance, released } = resumeRun(cli, name, { force: options.force === true });
  for (const other of released) cli.output.warn(`released ${other.runId}`);
  if (guidance === null) {
    reportChange(cli, run, {
      done: `Resumed ${run.runId}, at phase ${sanitizeLine(phaseLabel(run.state.phase))}.\n${NO_SESSION}`,
      next: continuation(cli, run),
    });
  } else cli.output.result({ ...statusReport(cli, run, []), guidance }, guidance);
}
