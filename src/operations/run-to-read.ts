import { selectRun } from '../sessions/select-run.ts';
import type { StoredRun } from '../state/types.ts';
import type { OperationContext } from './context.ts';
import { namedRun, noSingleRunError } from './with-run.ts';

export interface RunToRead {
  run: StoredRun;
  /** Active too. */
  others: readonly StoredRun[];
  runs: readonly StoredRun[];
}

/** The run that is named, else the one that this session holds, else the most recent one that nobody does. */
export function runToRead(desk: OperationContext, name?: string): RunToRead {
  const { runs } = desk.store.list();
  if (name !== undefined) return { run: namedRun(runs, name), others: [], runs };
  const selection = selectRun(runs, { ...desk, purpose: 'read' });
  if (selection.kind !== 'run') throw noSingleRunError(selection);
  return { run: selection.run, others: selection.others, runs };
}
