import type { stepFrame } from '../guidance/step.ts';
import type { RunState } from '../state/types.ts';
import type { awaitsContext, contextActionHappened, stepLabel } from '../workflow/run-view.ts';

/** What hooks do with the steps of a template. Runs without one do not need it, so it lies in a file of its own. */
export interface StepSupport {
  stepFrame: typeof stepFrame;
  awaitsContext: typeof awaitsContext;
  happened: typeof contextActionHappened;
  stepWords: typeof stepLabel;
}

let enter: () => StepSupport | null = () => {
  throw new Error('nobody has said where the steps are');
};

/** Whoever starts a program says how to get there; null where there is no way. */
export function registerStepSupport(room: () => StepSupport | null): void {
  enter = room;
}

/** Null for a run without a template. */
export function stepSupportFor({ template, machine }: RunState): StepSupport | null {
  return template === undefined && machine === undefined ? null : enter();
}
