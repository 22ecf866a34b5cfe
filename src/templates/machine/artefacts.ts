import { ownEntry, type MachineState } from './machine-state.ts';
import type { Step } from '../template-types.generated.ts';

/** The files that a step must leave; none where it only records what the session writes. */
export function declaredArtefacts({ artefacts }: Step): string[] {
  return Array.isArray(artefacts) ? unique(artefacts) : [];
}

/** Records files that were made in the current step. */
export function withMade(state: MachineState, given: readonly string[]): MachineState {
  const made = given.map((path) => path.trim()).filter((path) => path !== '');
  if (made.length === 0) return state;
  return {
    ...state,
    artefacts: joined(state.artefacts, state.step, made),
    currentStepArtefacts: unique([...(state.currentStepArtefacts ?? []), ...made]),
  };
}

/** A step that was finished has made what it declares; one that was skipped has not. */
export function withDeclared(state: MachineState, step: Step): MachineState {
  const declared = declaredArtefacts(step);
  if (declared.length === 0) return state;
  return { ...state, artefacts: joined(state.artefacts, step.id, declared) };
}

/** The files of all steps, including the current one. */
export function allArtefacts(state: MachineState): Record<string, string[]> {
  const { artefacts, currentStepArtefacts: current = [] } = state;
  return current.length === 0 ? { ...artefacts } : joined(artefacts, state.step, current);
}

export function unique(paths: readonly string[]): string[] {
  return [...new Set(paths)];
}

function joined(
  artefacts: Record<string, string[]>,
  step: string,
  more: readonly string[],
): Record<string, string[]> {
  return { ...artefacts, [step]: unique([...(ownEntry(artefacts, step) ?? []), ...more]) };
}
