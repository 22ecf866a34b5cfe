import { importRun } from '../../operations/import.ts';
import { phaseLabel } from '../../state/phases.ts';
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
  reportChange(cli, run, {
    done: `Imported ${run.runId}, at phase ${sanitizeLine(phaseLabel(run.state.phase))}.${replaced === null ? '' : `\nThe state it replaced was archived as ${replaced}.`}`,
    next: `holdfast resume ${run.runId}, in a Claude Code session`,
  });
}
