import { HoldfastError } from '../errors.ts';
import type { Desk } from '../operations/desk.ts';
import { selectRun } from '../state/select.ts';
import type { StoredRun } from '../state/types.ts';

export interface RunToRead {
  run: StoredRun;
  /** Active too. */
  others: readonly StoredRun[];
  runs: readonly StoredRun[];
}

/** The run that this session holds, or the most recent one that nobody does. */
export function runToRead(desk: Desk): RunToRead {
  const { runs } = desk.store.list();
  const selection = selectRun(runs, { ...desk, purpose: 'read' });
  if (selection.kind === 'run') return { run: selection.run, others: selection.others, runs };
  if (selection.kind === 'ambiguous') {
    throw new HoldfastError({ code: 'ambiguous_run', name: null, runs: idsOf(selection.runs) });
  }
  throw selection.heldByOthers.length > 0
    ? new HoldfastError({ code: 'all_held', runs: idsOf(selection.heldByOthers) })
    : new HoldfastError({
        code: 'no_workflow',
        also: selection.inactive.map(({ runId, state }) => `${runId} (${state.status})`),
      });
}

function idsOf(runs: readonly StoredRun[]): string[] {
  return runs.map(({ runId }) => runId);
}
