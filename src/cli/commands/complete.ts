import { completeRun } from '../../operations/complete.ts';
import type { CommandContext } from '../context.ts';
import { reportEnd } from '../output/report-run.ts';

export function complete(
  cli: CommandContext,
  name: string | undefined,
  options: { purge?: boolean },
): void {
  reportEnd(cli, completeRun(cli, name, { purge: options.purge === true }));
}
