import type { RunState } from '../../state/types.ts';
import { inspectRun } from '../run.ts';
import { maxPivots } from './pivot.ts';

/** How often a running template run was sent back, and how often it may be; null for any other run. */
export function pivotsOf(state: RunState): { made: number; max: number } | null {
  const run = inspectRun(state);
  if (run.kind !== 'template' || run.machine.status !== 'running') return null;
  return { made: run.machine.pivots ?? 0, max: maxPivots(run.template) };
}
