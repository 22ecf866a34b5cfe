import { unreachable } from '../../text/unreachable.ts';
import { loopsOf, type StepLoop } from './loops.ts';
import { ownEntry, type MachineState, type Task } from './machine-state.ts';
import { BrokenRun } from './shape-checks.ts';
import type { Step, SubStep, Template } from '../template-types.generated.ts';

/** Where a state stands in its template. */
export type Position = StepPosition & (Acting | Approving | Iterating | Waiting | Working);

interface StepPosition {
  index: number;
  step: Step;
}

interface Acting {
  kind: 'action';
}

/** At a step that only the user can answer. */
interface Approving {
  kind: 'approval';
}

interface Iterating {
  kind: 'ralph';
  iteration: number;
  total: number;
}

/** At a loop that has not been given its tasks. */
interface Waiting {
  kind: 'waiting';
  loop: StepLoop;
}

interface Working {
  kind: 'task';
  loop: StepLoop;
  tasks: Task[];
  taskIndex: number;
  task: Task;
  subIndex: number;
  subStep: SubStep;
}

export function positionOf(template: Template, state: MachineState): Position {
  const at = stepOf(template, state);
  switch (at.step.type) {
    case 'action':
      return { ...at, kind: 'action' };
    case 'approval':
      return { ...at, kind: 'approval' };
    case 'ralph':
      return { ...at, kind: 'ralph', ...iterationOf(at.step, state) };
    case 'loop': {
      const loop = loopOfStep(template, at.step);
      if (state.task === undefined) return { ...at, kind: 'waiting', loop };
      return { ...at, kind: 'task', loop, ...workOf(loop, state, state.task.index) };
    }
    default:
      return unreachable(at.step.type);
  }
}

export function stepOf(template: Template, state: MachineState): StepPosition {
  const index = template.steps.findIndex(({ id }) => id === state.step);
  const step = template.steps[index];
  if (step === undefined) throw broken('step', 'a step of the template');
  if (step.type !== state.stepType)
    throw broken('stepType', `"${step.type}", the type of step "${step.id}"`);
  return { index, step };
}

export function loopOfStep(template: Template, step: Step): StepLoop {
  const walked = loopsOf(template).get(step.id);
  if (walked === undefined)
    throw broken('step', `a step whose loop is defined, which the loop of "${step.id}" is not`);
  return walked;
}

function iterationOf(step: Step, state: MachineState): { iteration: number; total: number } {
  const total = step.n ?? 1;
  const iteration = state.ralphIteration;
  if (iteration === undefined || iteration < 1 || iteration > total)
    throw broken('ralphIteration', `a whole number from 1 to ${total}`);
  return { iteration, total };
}

function workOf(
  { key, subSteps }: StepLoop,
  state: MachineState,
  taskIndex: number,
): Omit<Working, 'kind' | 'loop'> {
  const tasks = ownEntry(state.tasks, key) ?? [];
  const task = tasks[taskIndex];
  if (task === undefined)
    throw broken('task.index', `the index of one of the ${tasks.length} tasks of "${key}"`);
  const subIndex = subSteps.findIndex(({ id }) => id === state.subStep);
  const subStep = subSteps[subIndex];
  if (subStep === undefined)
    throw broken('subStep', `one of ${subSteps.map(({ id }) => id).join(', ')}`);
  return { tasks, taskIndex, task, subIndex, subStep };
}

export function broken(field: string, expected: string): BrokenRun {
  return new BrokenRun(`machine.${field}`, expected);
}
