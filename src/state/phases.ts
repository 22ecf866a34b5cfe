import type { Phase, RunState } from './types.ts';

export interface FinishedPhase {
  output?: string | undefined;
  artefacts: string[];
  /** The name of the phase that follows. */
  nextName?: string | undefined;
}

/** The run with its phase finished and the next one begun; past the last one it is completed. */
export function advancePhase(state: RunState, finished: FinishedPhase): RunState {
  const { phase } = state;
  const { status_reason: _reason, ...unblocked } = state;
  const kept = keepOutput(unblocked, finished);
  if (phase.current >= phase.total) {
    return { ...kept, phase: { ...phase, status: 'completed' }, status: 'completed' };
  }
  return { ...kept, ...enterPhase(kept, phase.current + 1, finished.nextName) };
}

/** Begins phase `current`; a name given by hand is also kept in the list of phases. */
export function enterPhase(
  state: RunState,
  current: number,
  name: string | undefined,
  total = state.phase.total,
): Pick<RunState, 'phase' | 'phases'> {
  const phases = name === undefined ? state.phases : renamed(state.phases, current, name);
  const phase: Phase = {
    ...state.phase,
    current,
    total,
    name: name ?? state.phases?.[current - 1] ?? '',
    status: 'in_progress',
  };
  return phases === undefined ? { phase } : { phase, phases };
}

export function blockPhase(state: RunState, reason: string): RunState {
  return { ...state, phase: { ...state.phase, status: 'blocked' }, status_reason: reason };
}

/** `2/5 Build`, for tables and records. */
export function phaseLabel({ current, total, name }: Phase): string {
  return name === '' ? `${current}/${total}` : `${current}/${total} ${name}`;
}

export function renamed(
  phases: string[] | undefined,
  current: number,
  name: string,
): string[] | undefined {
  return phases !== undefined && current >= 1 && current <= phases.length
    ? phases.with(current - 1, name)
    : phases;
}

function keepOutput(state: RunState, { output, artefacts }: FinishedPhase): RunState {
  if (output === undefined && artefacts.length === 0) return state;
  const entry = {
    ...(output === undefined ? {} : { text: output }),
    ...(artefacts.length === 0 ? {} : { artefacts }),
  };
  return { ...state, outputs: { ...state.outputs, [String(state.phase.current)]: entry } };
}
