import type { WorkflowStateMachine } from './machine.ts';
import { advance, approve, isStepLeft } from './transitions.ts';
import { positionOf } from './position.ts';
import type { Template } from '../template-types.generated.ts';

export interface Gate {
  /** The step, or the loop and its sub-step, in words. */
  where: string;
  command: string;
}

/** Every command that a run of this template could start: gates, and the `until` of ralph steps. */
export function gatesOf(template: Template): Gate[] {
  const gate = (where: string, command: string | undefined): Gate[] =>
    command === undefined ? [] : [{ where, command }];
  return [
    ...template.steps.flatMap((step) => [
      ...gate(`step "${step.id}"`, step.gate),
      ...gate(`step "${step.id}", until`, step.until),
    ]),
    ...Object.entries(template.loops ?? {}).flatMap(([loop, subSteps]) =>
      subSteps.flatMap((subStep) => gate(`loop "${loop}", sub-step "${subStep.id}"`, subStep.gate)),
    ),
  ];
}

/**
 * The commands that the next move has to pass: that of the sub-step, and that of the step. A loop step's gate runs
 * only when the move leaves the loop, because its sub-steps may have gates of their own.
 */
export function gatesDue(
  { template, facts, state }: WorkflowStateMachine,
  move: 'advance' | 'approve' = 'advance',
): string[] {
  const position = positionOf(template, state);
  const context = { template, facts };
  const after = move === 'approve' ? approve(context, state) : advance(context, state);
  const ofSubStep = position.kind === 'task' ? position.subStep.gate : undefined;
  const ofStep =
    position.kind !== 'task' || isStepLeft(state, after) ? position.step.gate : undefined;
  return [ofSubStep, ofStep].filter((command) => command !== undefined);
}

/** The command that decides whether a ralph step needs another iteration; null where nothing has to be decided. */
export function untilDue({ template, state }: WorkflowStateMachine): string | null {
  const position = positionOf(template, state);
  if (position.kind !== 'ralph' || position.iteration >= position.total) return null;
  return position.step.until ?? null;
}
