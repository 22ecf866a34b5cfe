import { pauseRun } from '../../operations/pause.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import type { CommandContext } from '../context.ts';
import { reportChange } from '../output/report-run.ts';

export function pause(
  cli: CommandContext,
  name: string | undefined,
  options: { reason?: string },
): void {
  const reason = options.reason?.trim() ?? '';
  const run = pauseRun(cli, name, reason);
  reportChange(cli, run, {
    done: `Paused ${run.runId}${reason === '' ? '' : `: ${sanitizeLine(reason)}`}.\nNo session is given it until it is resumed.`,
  });
}
