import { ownEntry, type MachineState } from './machine-state.ts';
import type { Step } from '../template/template-types.generated.ts';

/** What was made in the present step, kept under its name. */
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
export function withDeclared(state: MachineState, { id, artefacts = [] }: Step): MachineState {
  if (artefacts.length === 0) return state;
  return { ...state, artefacts: joined(state.artefacts, id, artefacts) };
}

/** Of all steps, the present one included. */
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
