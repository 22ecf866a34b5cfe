import type { Phase, RunState } from './types.ts';

// A phase or step that was entered while the user wants to see the one before it first: nobody has begun it.

/**
 * Whether the phase waits for the user's word. A file or a source may call a phase `not_started` as well: there nobody has
 * asked to wait, so the phase is finished like any other.
 */
export function isWaitingPhase({ phase }: Pick<RunState, 'phase'>): boolean {
  return (
    phase.status === 'not_started' && typeof phase.waits_since === 'string'
  );
}

/** The phase as one that was entered and that nobody begins before the user says so. */
export function waitingPhase(phase: Phase, now: Date): Phase {
  return {
    ...phase,
    status: 'not_started',
    waits_since: now.toISOString(),
  };
}

/** The state with the phase begun, if it waits. */
export function withBegunPhase(state: RunState): RunState {
  if (!isWaitingPhase(state)) return state;
  const { waits_since: _waits, ...phase } = state.phase;
  return { ...state, phase: { ...phase, status: 'in_progress' } };
}
