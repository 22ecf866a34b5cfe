import { importRun } from '../../operations/import.ts';
import type { CommandContext } from '../context.ts';
import { textFile } from '../options.ts';
import { reportRun } from '../output/report-run.ts';

export function importFile(cli: CommandContext, file: string): void {
  const run = importRun(cli, textFile(cli, '<file>', file), file);
  const next = `Continue it with \`holdfast resume ${run.runId}\`.`;
  reportRun(cli, run, [], `Imported ${run.runId}. ${next}`);
}
