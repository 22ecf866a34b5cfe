import { pauseRun } from '../../operations/pause.ts';
import type { CommandContext } from '../context.ts';
import { reportRun } from '../output/report-run.ts';

export function pause(
  cli: CommandContext,
  name: string | undefined,
  options: { reason?: string },
): void {
  const run = pauseRun(cli, name, options.reason?.trim() ?? '');
  reportRun(cli, run, [], `Paused ${run.runId}: it is not restored until \`holdfast resume\`.`);
}
