import { ownEntry, type MachineState } from './machine-state.ts';
import type { Step } from '../template-types.generated.ts';

/** The files that a step must leave; none where it only records what the session writes. */
export function declaredArtefacts({ artefacts }: Step): string[] {
  return Array.isArray(artefacts) ? unique(artefacts.map(String)) : [];
}

/** Records files that were made in the current step. */
export function withMade(state: MachineState, given: readonly string[]): MachineState {
  const made = given.map((path) => path.trim()).filter((path) => path !== '');
  if (made.length === 0) return state;
  const { currentStepArtefacts: current = [] } = state;
  return {
    ...state,
    artefacts: artefactsWith(state, made),
    currentStepArtefacts: unique([...current, ...made]),
  };
}

/** The files of all steps, and these of the current one. */
export function artefactsWith(
  { artefacts, step }: MachineState,
  more: readonly string[] = [],
): MachineState['artefacts'] {
  if (more.length === 0) return { ...artefacts };
  return { ...artefacts, [step]: unique([...(ownEntry(artefacts, step) ?? []), ...more]) };
}

export function unique(paths: readonly string[]): string[] {
  return [...new Set(paths)];
}
