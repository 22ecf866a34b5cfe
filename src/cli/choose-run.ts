import { namedRun } from '../operations/with-run.ts';
import { selectRun } from '../sessions/select-run.ts';
import type { StoredRun } from '../state/types.ts';
import type { CommandContext } from './context.ts';

export interface Chosen {
  run: StoredRun | null;
  others: StoredRun[];
  inactive: StoredRun[];
}

/** The run to look at: the one that is named, or the one that is meant. */
export function chooseRun(
  cli: CommandContext,
  runs: readonly StoredRun[],
  name: string | undefined,
): Chosen {
  if (name !== undefined) return { run: namedRun(runs, name), others: [], inactive: [] };
  const selection = selectRun(runs, { ...cli, purpose: 'read' });
  switch (selection.kind) {
    case 'run':
      return { run: selection.run, others: selection.others, inactive: [] };
    case 'none':
      return { run: null, others: selection.heldByOthers, inactive: selection.inactive };
    default:
      return { run: null, others: selection.runs, inactive: [] };
  }
}
