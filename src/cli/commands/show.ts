import type { CommandContext } from '../context.ts';
import { allRuns } from '../all-runs.ts';
import { namedRun } from '../../operations/with-run.ts';
import { safeJson } from '../../util/safe-json.ts';

/** The stored record as it is, whole. */
export function show(cli: CommandContext, name: string): void {
  const run = namedRun(allRuns(cli), name);
  cli.output.result(
    { run: run.state, path: run.path },
    `${cli.output.colors.dim(run.path)}\n${safeJson(run.state)}`,
  );
}
