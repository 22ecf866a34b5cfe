import { releaseRuns } from '../../operations/release.ts';
import { isActive } from '../../sessions/select-run.ts';
import type { CommandContext } from '../context.ts';
import { reportChange } from '../output/report-run.ts';
import { statusReport, summaryOf } from '../output/status-report.ts';

export function release(cli: CommandContext, name: string | undefined): void {
  const released = releaseRuns(cli, name);
  if (released.kind === 'one') {
    const { run } = released;
    const status = isActive(run) ? 'active' : run.state.status;
    reportChange(cli, run, {
      done: `Released ${run.runId}: it stays ${status}, and no session holds it.`,
      next: `holdfast resume ${run.runId}, in the session that continues it`,
    });
    return;
  }
  const names = released.runs.map(({ runId }) => runId);
  cli.output.result(
    { ...statusReport(cli, null, []), released: released.runs.map((run) => summaryOf(cli, run)) },
    `This session will no longer be offered: ${names.join(', ')}.\nNext: holdfast start "<name>", or holdfast resume <run> to take one after all`,
  );
}
