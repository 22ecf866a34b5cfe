import { importRun } from '../../operations/import.ts';
import { isArchived } from '../../state/paths.ts';
import { phaseLabel } from '../../state/phases.ts';
import type { StoredRun } from '../../state/types.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import type { CommandContext } from '../context.ts';
import { textFile } from '../options.ts';
import { reportChange } from '../output/report-run.ts';

export function importFile(
  cli: CommandContext,
  file: string,
  { force = false }: { force?: boolean },
): void {
  const { run, replaced } = importRun(cli, textFile(cli, '<file>', file), { file, force });
  const [where, next] = isArchived(run)
    ? [endText(run), `holdfast reopen ${run.runId}, if it should continue`]
    : [phaseText(run), `holdfast resume ${run.runId}, in a Claude Code session`];
  reportChange(cli, run, {
    done: `Imported ${run.runId}, ${where}.${replaced === null ? '' : `\nThe state it replaced was archived as ${replaced}.`}`,
    next,
  });
}

function phaseText({ state }: StoredRun): string {
  const { phase, status = 'in_progress' } = state;
  return `at phase ${sanitizeLine(phaseLabel(phase))}${status === 'in_progress' ? '' : ` (${status})`}`;
}

function endText({ path, state }: StoredRun): string {
  const end = state.status === 'cancelled' ? 'cancelled' : 'completed';
  return `which is ${end}: its record is in ${path}`;
}
