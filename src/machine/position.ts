import { HoldfastError } from '../text/holdfast-error.ts';
import { asWord } from '../text/sanitize.ts';
import {
  DEFAULT_RETRIES,
  type MachineState,
  type Task,
} from './machine-state.ts';
import type {
  OnFail,
  Step,
  SubStep,
  Template,
} from './template-types.generated.ts';
import { ownEntry } from '../text/json.ts';

export type Position = StepPosition &
  (
    | { kind: 'action' }
    | { kind: 'approval' }
    | { kind: 'ralph'; iteration: number; total: number }
    | { kind: 'waiting'; loop: StepLoop }
    | {
        kind: 'task';
        loop: StepLoop;
        tasks: Task[];
        taskIndex: number;
        task: Task;
        subIndex: number;
        subStep: SubStep;
      }
  );

export type TaskPosition = Extract<Position, { kind: 'task' }>;
export type WaitingPosition = Extract<Position, { kind: 'waiting' }>;

type StepPosition = { index: number; step: Step };

/** Null once the machine is complete. */
export function placeOf(
  template: Template,
  state: MachineState,
): Position | null {
  return state.status === 'complete' ? null : positionOf(template, state);
}

/** Throws `broken_run` if the state does not fit the template. */
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
  if (state.task === undefined) return { ...at, kind: 'waiting', loop };
  const { key, subSteps } = loop;
  const { index: taskIndex } = state.task;
  const tasks = ownEntry(state.tasks, key) ?? [];
  const task = tasks[taskIndex];
  if (task === undefined)
    throw broken(
      'task.index',
      `the index of one of the ${tasks.length} tasks of "${key}"`,
    );
  const subIndex = subSteps.findIndex(({ id }) => id === state.subStep);
  const subStep = subSteps[subIndex];
  if (subStep === undefined)
    throw broken(
      'subStep',
      `one of ${subSteps.map(({ id }) => id).join(', ')}`,
    );
  return {
    ...at,
    kind: 'task',
    loop,
    tasks,
    taskIndex,
    task,
    subIndex,
    subStep,
  };
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
    throw broken('step', 'a step whose loop is defined');
  return walked;
}

export const broken = (field: string, expected: string): BrokenRunError =>
  new BrokenRunError(`machine.${field}`, expected);

/** Whether the step, or a part of it, has a gate. */
export function isGuarded(template: Template, step: Step): boolean {
  const subSteps =
    step.type === 'loop' ? loopOfStep(template, step).subSteps : [];
  return [step, ...subSteps].some(({ gate }) => gate !== undefined);
}

export function onFailAt(place: Position): OnFail {
  const own = place.kind === 'task' ? place.subStep.on_fail : undefined;
  return own ?? place.step.on_fail ?? 'abort';
}

/** How often the present (sub-)step may still be tried again; null if its failure is not retried at all. */
export function retriesLeft(at: {
  template: Template;
  machine: MachineState;
  place: Position | null;
}): number | null {
  const { max_retries: max = DEFAULT_RETRIES } = at.template;
  const { retries = 0 } = at.machine;
  const { place } = at;
  return place === null || onFailAt(place) !== 'retry'
    ? null
    : Math.max(0, max - retries);
}

/** A field of a state file that does not fit the template beside it; `expected` ends a sentence: "must be …". */
export class BrokenRunError extends HoldfastError {
  constructor(
    readonly field: string,
    readonly expected: string,
  ) {
    super(
      'broken_run',
      `the state of this run is broken: ${asWord(field)} must be ${expected}`,
      {
        hint: 'correct it in the state file; `holdfast show <run>` prints its path',
      },
    );
  }
}

export interface StepLoop {
  loop: string;
  /** The name under which the tasks are kept, and by which they can be given. */
  key: string;
  subSteps: SubStep[];
}

/** By step. Two steps that walk the same loop have tasks of their own, under their own names instead of the loop's. */
export function loopsOf(template: Template): Map<string, StepLoop> {
  const loopSteps = template.steps.filter(isLoop);
  const stepIds = new Set(loopSteps.map(({ id }) => id));
  const walked = new Map<string, string>();
  for (const step of loopSteps) {
    const loop = loopOf(template, step);
    if (loop !== undefined) walked.set(step.id, loop);
  }

  const loops = new Map<string, StepLoop>();
  for (const [id, loop] of walked) {
    const walkers = [...walked.values()].filter((other) => other === loop);
    // The name of the loop may also be that of a step that walks another one.
    const isOtherStep = id !== loop && stepIds.has(loop);
    const key = walkers.length === 1 && !isOtherStep ? loop : id;
    loops.set(id, { loop, key, subSteps: template.loops?.[loop] ?? [] });
  }
  return loops;
}

/** The loop that a loop step walks: the one it names, else that of its own id, else the only one there is. */
export function loopOf(
  template: Pick<Template, 'steps' | 'loops'>,
  step: Step,
): string | undefined {
  if (!isLoop(step)) return undefined;
  const loops = template.loops ?? {};
  if (step.loop !== undefined)
    return Object.hasOwn(loops, step.loop) ? step.loop : undefined;
  if (Object.hasOwn(loops, step.id)) return step.id;

  const [only, another] = Object.keys(loops);
  const isOnlyWalker = template.steps.filter(isLoop).length === 1;
  return another === undefined && isOnlyWalker ? only : undefined;
}

function isLoop({ type }: Step): boolean {
  return type === 'loop';
}
