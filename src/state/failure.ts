import { isObject, ownMember } from '../util/json.ts';
import type { RunState } from './types.ts';

/** What the current phase or step failed with, and how often. */
export interface StepFailure {
  reason: string;
  tries: number;
}

/** Null if nothing failed since the current phase or step was entered. */
export function failureOf(state: RunState): StepFailure | null {
  const { failure } = state;
  if (!isObject(failure) || failure['at'] !== positionKey(state)) return null;
  const { reason, tries } = failure;
  if (typeof reason !== 'string' || typeof tries !== 'number') return null;
  return { reason, tries };
}

/** Call it with the state after the move: a retry or an abort stays at the same position. */
export function recordFailure(state: RunState, reason: string): RunState {
  const tries = (failureOf(state)?.tries ?? 0) + 1;
  return { ...state, failure: { at: positionKey(state), reason, tries } };
}

/** The state without a failure that belongs to another position. */
export function withoutPastFailure(state: RunState): RunState {
  if (state.failure === undefined || failureOf(state) !== null) return state;
  const { failure: _failure, ...rest } = state;
  return rest;
}

/** Identifies the phase, or the step with its task, sub-step and iteration. */
function positionKey({ phase, machine }: RunState): string {
  if (machine === undefined) return String(phase.current);
  const task = ownMember(machine['task'], 'id');
  return [machine['step'], task, machine['subStep'], machine['ralphIteration']]
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .join('/');
}
