import type { StoredRun } from '../state/types.ts';
import type { CommandContext } from './context.ts';

/** Runs there are and runs there were, for commands that only look. */
export function allRuns(cli: CommandContext): StoredRun[] {
  const { runs } = cli.store.list();
  const present = new Set(runs.map((run) => run.runId));
  return [...runs, ...cli.store.archive().runs.filter((run) => !present.has(run.runId))];
}
