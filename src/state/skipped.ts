import type { RunState } from './types.ts';

export interface SkippedPhase {
  phase: number;
  name: string;
  reason: string;
}

/** The skipped phases in order. The current phase never counts as skipped: somebody works on it. */
export function skippedPhases({ skipped, phases, phase, status }: RunState): SkippedPhase[] {
  return Object.entries(skipped ?? {})
    .map(([key, reason]) => ({ phase: Number(key), reason }))
    .filter(
      (entry) =>
        Number.isSafeInteger(entry.phase) &&
        entry.phase >= 1 &&
        entry.phase <= phase.total &&
        (entry.phase !== phase.current || status === 'completed'),
    )
    .toSorted((a, b) => a.phase - b.phase)
    .map((entry) => ({ ...entry, name: phases?.[entry.phase - 1] ?? '' }));
}

/** The first phase after `current` that is not skipped; null if none is left. */
export function nextPhase({ skipped, phase }: RunState, current = phase.current): number | null {
  for (let next = current + 1; next <= phase.total; next += 1) {
    if (!Object.hasOwn(skipped ?? {}, String(next))) return next;
  }
  return null;
}

export function markSkipped(state: RunState, phase: number, reason: string): RunState {
  return { ...state, skipped: { ...state.skipped, [String(phase)]: reason } };
}

/** A phase that is entered is not skipped any more. */
export function unmarkSkipped(state: RunState, isKept: (phase: number) => boolean): RunState {
  if (state.skipped === undefined) return state;
  const { skipped, ...rest } = state;
  const kept = Object.entries(skipped).filter(([phase]) => isKept(Number(phase)));
  return kept.length === 0 ? rest : { ...rest, skipped: Object.fromEntries(kept) };
}
