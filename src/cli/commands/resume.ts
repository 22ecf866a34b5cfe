import { heldBySession } from '../../driver/prepare.ts';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { resumeRun, type ResumedRun } from '../../operations/resume.ts';
import { phaseLabel } from '../../state/phases.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import type { CommandContext } from '../context.ts';
import { continuation } from '../output/continuation.ts';
import { NO_SESSION, reportChange } from '../output/report-run.ts';
import { placesOfHooks } from '../registered-hooks.ts';
import { statusReport } from '../output/status-report.ts';

/** `resume` and `claim`. */
export function resume(
  cli: CommandContext,
  name: string | undefined,
  options: { force?: boolean },
): void {
  const { run, guidance, released } = resumed(cli, name, options.force === true);
  for (const other of released) cli.output.warn(`released ${other.runId}`);
  if (guidance === null) {
    const done = `Resumed ${run.runId}, at phase ${sanitizeLine(phaseLabel(run.state.phase))}.`;
    reportChange(cli, run, {
      done: heldBySession(cli, run) === null ? `${done}\n${NO_SESSION}` : done,
      next: continuation(cli, run),
    });
  } else cli.output.result({ ...statusReport(cli, run, []), guidance }, guidance);
}

/** A refusal in a terminal names a slash command, which may have to be installed first. */
function resumed(cli: CommandContext, name: string | undefined, force: boolean): ResumedRun {
  try {
    return resumeRun(cli, name, { force });
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.failure.code !== 'no_session') throw error;
    throw new HoldfastError({ ...error.failure, isInstalled: placesOfHooks(cli).length > 0 });
  }
}
