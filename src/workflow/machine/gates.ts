import type { WorkflowStateMachine } from './machine.ts';
import { advance, isStepLeft } from './transitions.ts';
import { positionOf } from './position.ts';
import type { Template } from '../template/template-types.generated.ts';

export interface Gate {
  /** The step, or the loop and its sub-step, in words. */
  where: string;
  command: string;
}

/** Every command that a run of this template could start. */
export function gatesOf(template: Template): Gate[] {
  const gate = (where: string, command: string | undefined): Gate[] =>
    command === undefined ? [] : [{ where, command }];
  return [
    ...template.steps.flatMap((step) => gate(`step "${step.id}"`, step.gate)),
    ...Object.entries(template.loops ?? {}).flatMap(([loop, subSteps]) =>
      subSteps.flatMap((subStep) => gate(`loop "${loop}", sub-step "${subStep.id}"`, subStep.gate)),
    ),
  ];
}

/**
 * The commands that the next move has to pass: the one of the sub-step, and the one of the step; that of a loop
 * step only where the move leaves the loop, because its sub-steps may have their own.
 */
export function gatesDue({ template, state }: WorkflowStateMachine): string[] {
  const place = positionOf(template, state);
  const after = advance(template, state, undefined, []);
  const leaves = isStepLeft(state, after);
  const ofSubStep = place.kind === 'task' ? place.subStep.gate : undefined;
  const ofStep = place.kind !== 'task' || leaves ? place.step.gate : undefined;
  return [ofSubStep, ofStep].filter((command) => command !== undefined);
}
