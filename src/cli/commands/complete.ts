import { completeRun } from '../../operations/complete.ts';
import { maySync } from '../../remote/may-sync.ts';
import { notePurged } from '../../state/store/purged-runs.ts';
import type { CommandContext } from '../context.ts';
import { reportEnd } from '../output/report-run.ts';

export function complete(
  cli: CommandContext,
  name: string | undefined,
  { purge = false }: { purge?: boolean },
): void {
  const run = completeRun(cli, name, { purge });
  // Nothing else is left here that `sync` could tell the machines that have the run.
  if (purge && maySync(cli.root)) cli.store.transaction((tx) => notePurged(tx, run.runId));
  reportEnd(cli, run);
}
