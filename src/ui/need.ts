import { goneSince } from '../sessions/liveness.ts';
import { type LivenessContext } from '../sessions/liveness.ts';
import type { Run } from '../state/types.ts';
import { isWaitingPhase } from '../state/waiting-phase.ts';
import { waitOf } from '../state/progress.ts';

/** Why nothing goes on without a person. */
export type Need = 'approval' | 'word' | 'failed' | 'blocked' | 'holder_gone';

/** Each text follows the name of a run. */
export const NEEDS: Readonly<Record<Need, string>> = {
  approval: 'waits for your approval',
  word: 'waits for you: to begin the phase',
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
  if (isWaitingPhase(state)) return 'word';
  return goneSince(state, context) === null ? null : 'holder_gone';
}
