import { resumeRun } from '../../operations/resume.ts';
import type { CommandContext } from '../context.ts';
import { reportRun } from '../output/report-run.ts';
import { statusReport } from '../output/status-report.ts';

/** `resume` and `claim`. */
export function resume(
  cli: CommandContext,
  name: string | undefined,
  options: { force?: boolean },
): void {
  const { run, guidance, released } = resumeRun(cli, name, { force: options.force === true });
  for (const other of released) cli.output.warn(`released ${other.runId}`);
  if (guidance === null) reportRun(cli, run, [], `Resumed ${run.runId}.`);
  else cli.output.result({ ...statusReport(cli, run, []), guidance }, guidance);
}
