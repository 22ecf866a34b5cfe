import { reopenRun } from '../../operations/reopen.ts';
import { phaseLabel } from '../../state/phases.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import type { CommandContext } from '../context.ts';
import { continuation } from '../output/continuation.ts';
import { reportChange } from '../output/report-run.ts';

export function reopen(cli: CommandContext, name: string): void {
  const run = reopenRun(cli, name);
  reportChange(cli, run, {
    done: `Reopened ${run.runId}, at phase ${sanitizeLine(phaseLabel(run.state.phase))}.`,
    ...(cli.session === null ? { next: continuation(cli, run) } : {}),
  });
}
