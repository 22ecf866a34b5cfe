import { HoldfastError } from '../../text/holdfast-error.ts';
import { loopsOf, type StepLoop } from './loops.ts';
import { ownEntry, type MachineState, type Task } from './machine-state.ts';
import type { Step, SubStep, Template } from '../template-types.generated.ts';

/** Where a state stands in its template. */
export type Position = StepPosition &
  (
    | { kind: 'action' }
    /** At a step that only the user can answer. */
    | { kind: 'approval' }
    | { kind: 'ralph'; iteration: number; total: number }
    /** At a loop that has not been given its tasks. */
    | { kind: 'waiting'; loop: StepLoop }
    | TaskPlace
  );

interface StepPosition {
  index: number;
  step: Step;
}

interface TaskPlace {
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
  const { type, n: total = 1 } = at.step;
  if (type === 'action' || type === 'approval') return { ...at, kind: type };
  if (type === 'ralph') {
    const { ralphIteration: iteration = 0 } = state;
    if (iteration < 1 || iteration > total)
      throw broken('ralphIteration', `a whole number from 1 to ${total}`);
    return { ...at, kind: 'ralph', iteration, total };
  }
  const loop = loopOfStep(template, at.step);
  return state.task === undefined
    ? { ...at, kind: 'waiting', loop }
    : { ...at, ...taskPlace(loop, state, state.task.index) };
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
  if (walked === undefined) throw broken('step', 'a step whose loop is defined');
  return walked;
}

function taskPlace(loop: StepLoop, state: MachineState, taskIndex: number): TaskPlace {
  const { key, subSteps } = loop;
  const tasks = ownEntry(state.tasks, key) ?? [];
  const task = tasks[taskIndex];
  if (task === undefined)
    throw broken('task.index', `the index of one of the ${tasks.length} tasks of "${key}"`);
  const subIndex = subSteps.findIndex(({ id }) => id === state.subStep);
  const subStep = subSteps[subIndex];
  if (subStep === undefined)
    throw broken('subStep', `one of ${subSteps.map(({ id }) => id).join(', ')}`);
  return { kind: 'task', loop, tasks, taskIndex, task, subIndex, subStep };
}

export function broken(field: string, expected: string): BrokenRun {
  return new BrokenRun(`machine.${field}`, expected);
}

/** A field of a state file that does not fit the template beside it; `expected` ends a sentence: "must be …". */
export class BrokenRun extends HoldfastError {
  constructor(
    readonly field: string,
    readonly expected: string,
  ) {
    super('broken_run', `the state of this run is broken: ${field} must be ${expected}`, {
      hint: 'correct it in the state file; `holdfast show <run>` prints its path',
    });
  }
}
