import { isStepLeft, WorkflowStateMachine } from './machine.ts';
import { positionOf } from './position.ts';
import type { Template } from './template-types.generated.ts';

/** Every command that a run of this template could start: gates, and the `until` of ralph steps. */
export function gatesOf({
  steps,
  loops = {},
}: Template): { where: string; command: string }[] {
  const gates = [
    ...steps.flatMap(({ id, gate, until }) => [
      { where: `step "${id}"`, command: gate },
      { where: `step "${id}", until`, command: until },
    ]),
    ...Object.entries(loops).flatMap(([loop, subSteps]) =>
      subSteps.map(({ id, gate }) => ({
        where: `loop "${loop}", sub-step "${id}"`,
        command: gate,
      })),
    ),
  ];
  return gates.flatMap(({ where, command }) =>
    command === undefined ? [] : [{ where, command }],
  );
}

/** A loop step's gate runs only when the move leaves the loop, because its sub-steps may have gates of their own. */
export function gatesDue(
  { template, facts, state }: WorkflowStateMachine,
  move: 'advance' | 'approve' = 'advance',
): string[] {
  const position = positionOf(template, state);
  const next = WorkflowStateMachine.at(
    template,
    { ...state, status: 'running' },
    facts,
  );
  next[move]();
  const { gate } = position.step;
  const due =
    position.kind === 'task'
      ? [
          position.subStep.gate,
          isStepLeft(state, next.state) ? gate : undefined,
        ]
      : [gate];
  return due.filter((command) => command !== undefined);
}

/** The command that decides whether a ralph step needs another iteration; null where nothing has to be decided. */
export function untilDue({
  template,
  state,
}: WorkflowStateMachine): string | null {
  const position = positionOf(template, state);
  if (position.kind !== 'ralph' || position.iteration >= position.total)
    return null;
  return position.step.until ?? null;
}
