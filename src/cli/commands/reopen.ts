import { reopenRun } from '../../operations/reopen.ts';
import type { CommandContext } from '../context.ts';
import { reportRun } from '../output/report-run.ts';

export function reopen(cli: CommandContext, name: string): void {
  const run = reopenRun(cli, name);
  reportRun(
    cli,
    run,
    [],
    `Reopened ${run.runId}. Continue it with \`holdfast resume ${run.runId}\`.`,
  );
}
