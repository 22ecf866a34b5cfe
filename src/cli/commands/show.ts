import { runToRead } from '../../operations/target-run.ts';
import { safeJson } from '../../util/safe-json.ts';
import type { CommandContext } from '../context.ts';

/** Prints the stored record unchanged. */
export function show(cli: CommandContext, name: string | undefined): void {
  const { run } = runToRead(cli, name);
  cli.output.result(
    { run: run.state, path: run.path },
    `${cli.output.colors.dim(run.path)}\n${safeJson(run.state)}`,
  );
}
