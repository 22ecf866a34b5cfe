import { reopenRun } from '../../operations/reopen.ts';
import { phaseLabel } from '../../state/phases.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import type { CommandContext } from '../context.ts';
import { reportChange } from '../output/report-run.ts';
import { howToResume } from '../output/how-to-resume.ts';

export function reopen(cli: CommandContext, name: string): void {
  const run = reopenRun(cli, name);
  reportChange(cli, run, {
    done: `Reopened ${run.runId}, at phase ${sanitizeLine(phaseLabel(run.state.phase))}.`,
    ...(cli.session === null ? { next: howToResume(cli, run.runId) } : {}),
  });
}
