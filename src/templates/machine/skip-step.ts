import { HoldfastError } from '../../text/holdfast-error.ts';
import { runArgument, runIdIn, type MachineContext } from './conditions.ts';
import { enterStep } from './enter-step.ts';
import type { MachineState, Task } from './machine-state.ts';
import { approvalPending } from './pivot.ts';
import { loopOfStep, positionOf } from './position.ts';
import type { Step, Template } from '../template-types.generated.ts';

/** Leaves the whole current step undone. Nothing may bypass a gate or an approval, so a step with one stays. */
export function skipStep(context: MachineContext, state: MachineState): MachineState {
  const { index, step } = positionOf(context.template, state);
  if (step.type === 'approval') throw approvalPending(context, state);
  if (isGuarded(context.template, step)) {
    const run = runArgument(runIdIn(context.facts));
    throw new HoldfastError(
      'step_not_skipped',
      `step "${step.id}" has a gate, so it cannot be skipped`,
      {
        hint: `finish it with \`holdfast advance${run}\`, or report why it cannot be done with \`holdfast fail${run} --reason "…"\``,
      },
    );
  }
  return enterStep(context, withoutOpenTask(state), index + 1, step.id);
}

/** Whether the step, or a part of it, has a gate. */
export function isGuarded(template: Template, step: Step): boolean {
  const subSteps = step.type === 'loop' ? loopOfStep(template, step).subSteps : [];
  return [step, ...subSteps].some(({ gate }) => gate !== undefined);
}

/** The task of a loop that is left counts as failed; those that nobody began stay pending. */
function withoutOpenTask(state: MachineState): MachineState {
  const tasks = Object.entries(state.tasks).map(([key, list]): [string, Task[]] => [
    key,
    list.map((task) => (task.status === 'in_progress' ? { ...task, status: 'failed' } : task)),
  ]);
  return { ...state, tasks: Object.fromEntries(tasks) };
}
