import type { RunState } from '../../state/types.ts';
import { inspectRun } from '../run-view.ts';
import { maxPivots } from './pivot.ts';

/** Whether the run is blocked because it cannot be sent back any more. */
export function isPivotRefused(state: RunState): boolean {
  return state.phase.status === 'blocked' && isOutOfPivots(state);
}

export function isOutOfPivots(state: RunState): boolean {
  const pivots = pivotsOf(state);
  return pivots !== null && pivots.made >= pivots.max;
}

/** How often a running template run was sent back, and how often it may be; null for any other run. */
export function pivotsOf(state: RunState): { made: number; max: number } | null {
  const run = inspectRun(state);
  if (run.kind !== 'template' || run.machine.status !== 'running') return null;
  return { made: run.machine.pivots ?? 0, max: maxPivots(run.template) };
}
