import { goneSince, type LivenessContext } from '../sessions/holder.ts';
import type { Run } from '../state/types.ts';
import { waitOf } from '../state/progress.ts';
import type { Need } from './page-data.ts';

/** Each text follows the name of a run. */
export const NEEDS: Readonly<Record<Need, string>> = {
  approval: 'waits for your approval',
  failed: 'failed',
  blocked: 'is blocked',
  holder_gone: 'lost its session',
};

/** Null for a run that goes on by itself, is paused or has ended. */
export function needOf(run: Run, context: LivenessContext): Need | null {
  const { state } = run;
  const status = state.status ?? 'in_progress';
  if (status === 'failed') return 'failed';
  if (status !== 'in_progress') return null;

  if (state.phase.status === 'blocked') return 'blocked';
  if (waitOf(run)?.for === 'approval') return 'approval';
  return goneSince(state, context) === null ? null : 'holder_gone';
}
