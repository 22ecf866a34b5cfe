import { cancelRun } from '../../operations/cancel.ts';
import type { CommandContext } from '../context.ts';
import { nonBlank } from '../options.ts';
import { reportEnd } from '../output/report-run.ts';

export function cancel(
  cli: CommandContext,
  name: string | undefined,
  options: { reason: string },
): void {
  reportEnd(cli, cancelRun(cli, name, nonBlank('--reason', options.reason)));
}
