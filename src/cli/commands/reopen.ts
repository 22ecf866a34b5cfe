import { reopenRun } from '../../operations/reopen.ts';
import { phaseLabel } from '../../state/phases.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { isHolder } from '../../operations/target-run.ts';
import { isHeldByLiveSession } from '../../sessions/holder.ts';
import type { StoredRun } from '../../state/types.ts';
import type { CommandContext } from '../context.ts';
import { reportChange, type Change } from '../output/report-run.ts';
import { howToResume } from '../output/how-to-resume.ts';

export function reopen(cli: CommandContext, name: string): void {
  const run = reopenRun(cli, name);
  reportChange(cli, run, {
    done: `Reopened ${run.runId}, at phase ${sanitizeLine(phaseLabel(run.state.phase))}.`,
    ...nextAfter(cli, run),
  });
}

/** The run still has the holder that it had when it ended; another session has to take it. */
function nextAfter(cli: CommandContext, run: StoredRun): Pick<Change, 'next'> {
  if (cli.session === null) return { next: howToResume(cli, run.runId) };
  if (isHolder(cli, run)) return {};
  return { next: `holdfast resume ${run.runId}${isHeldByLiveSession(run, cli) ? ' --force' : ''}` };
}
