import { selectRun } from '../state/select.ts';
import type { StoredRun } from '../state/types.ts';
import type { Desk } from './desk.ts';
import { namedRun, noClearRun } from './pick.ts';

export interface RunToRead {
  run: StoredRun;
  /** Active too. */
  others: readonly StoredRun[];
  runs: readonly StoredRun[];
}

/** The run that is named, else the one that this session holds, else the most recent one that nobody does. */
export function runToRead(desk: Desk, name?: string): RunToRead {
  const { runs } = desk.store.list();
  if (name !== undefined) return { run: namedRun(runs, name), others: [], runs };
  const selection = selectRun(runs, { ...desk, purpose: 'read' });
  if (selection.kind !== 'run') throw noClearRun(selection);
  return { run: selection.run, others: selection.others, runs };
}
