import { namedRun } from '../../operations/with-run.ts';
import { toExport } from '../../state/export-format.ts';
import { safeJson } from '../../util/safe-json.ts';
import { allRuns } from '../all-runs.ts';
import type { CommandContext } from '../context.ts';

/** One run as one file, on standard output: `holdfast import` takes it in elsewhere. */
export function exportRun(cli: CommandContext, name: string): void {
  const run = namedRun(allRuns(cli), name);
  const file = toExport(run, cli.store.journal(run), cli.now);
  cli.output.result(file, safeJson(file));
}
