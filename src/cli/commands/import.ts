import { importRun } from '../../operations/import.ts';
import type { CommandContext } from '../context.ts';
import { textFile } from '../options.ts';
import { reportRun } from '../output/report-run.ts';

export function importFile(
  cli: CommandContext,
  file: string,
  { force = false }: { force?: boolean },
): void {
  const { run, replaced } = importRun(cli, textFile(cli, '<file>', file), { file, force });
  const kept = replaced === null ? '' : ` The state it replaced was archived as ${replaced}.`;
  const next = `Continue it with \`holdfast resume ${run.runId}\`.`;
  reportRun(cli, run, [], `Imported ${run.runId}.${kept} ${next}`);
}
