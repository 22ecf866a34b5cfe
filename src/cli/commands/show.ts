import type { Cli } from '../context.ts';
import { everyRun } from '../archive.ts';
import { namedRun } from '../../operations/pick.ts';
import { jsonText } from '../../guidance/json-text.ts';

/** The stored record as it is, whole. */
export function show(cli: Cli, name: string): void {
  const run = namedRun(everyRun(cli), name);
  cli.output.result(
    { run: run.state, path: run.path },
    `${cli.output.colors.dim(run.path)}\n${jsonText(run.state)}`,
  );
}
