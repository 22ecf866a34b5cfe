import { isObject, ownMember } from '../text/json.ts';
import type { RunState } from './types.ts';

/** Null if nothing failed since the current phase or step was entered. */
export function failureOf(
  state: RunState,
): { reason: string; tries: number } | null {
  if (!isObject(state.failure)) return null;
  const { at, reason, tries } = state.failure;
  if (typeof reason !== 'string' || typeof tries !== 'number') return null;
  return at === positionKey(state) ? { reason, tries } : null;
}

/** Call it with the state after the move: a retry or an abort stays at the same position. */
export function recordFailure(state: RunState, reason: string): RunState {
  const tries = (failureOf(state)?.tries ?? 0) + 1;
  return { ...state, failure: { at: positionKey(state), reason, tries } };
}

/** A failure at a position that the run has left does not count any more. */
export function withoutPastFailure(state: RunState): RunState {
  if (state.failure === undefined || failureOf(state) !== null) return state;
  const { failure: _failure, ...rest } = state;
  return rest;
}

/** The number of the phase, or `build/task-2/test/1`: the step with the task, the step of its loop and the iteration. */
function positionKey({ phase, machine }: RunState): string {
  if (machine === undefined) return String(phase.current);
  const task = ownMember(machine['task'], 'id');
  const parts = [
    machine['step'],
    task,
    machine['subStep'],
    machine['ralphIteration'],
  ];
  return parts
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .join('/');
}
