import { contextBefore, transitionInto } from './context-action.ts';
import {
  isPassedBy,
  type MachineContext,
  type MachineState,
  type Task,
} from './machine-state.ts';
import { loopOfStep } from './position.ts';
import { ownEntry } from '../text/json.ts';
import type { Step, SubStep, Template } from './template-types.generated.ts';

/**
 * Enters the step at `index`, or the first after it that has something to do. A step whose `when` is false is passed
 * by, and so is a loop whose tasks are all finished or that was given none. Past the last step the run is complete.
 */
export function enterStep(
  { template, facts }: MachineContext,
  state: MachineState,
  index: number,
  cameFrom?: string,
): MachineState {
  const earlier = new Set(template.steps.slice(0, index).map(({ id }) => id));
  const passedBy = (state.passedBy ?? []).filter((id) => earlier.has(id));
  const left = (): MachineState => leave(state, [...passedBy]);
  let from = cameFrom;
  for (const step of template.steps.slice(index)) {
    if (isPassedBy(step, left(), facts)) {
      // The transition that counts is still the one from the step that was really left.
      passedBy.push(step.id);
      continue;
    }
    const entered = arrive(template, left(), step, from);
    if (entered !== null) return entered;
    from = step.id;
  }
  const last = template.steps.at(-1);
  return {
    ...left(),
    step: last?.id ?? state.step,
    stepType: last?.type ?? state.stepType,
    status: 'complete',
  };
}

/** Begins the first task that is pending; null if there is none. */
export function enterNextTask(
  template: Template,
  state: MachineState,
  step: Step,
  cameFrom?: string,
): MachineState | null {
  const { key, subSteps } = loopOfStep(template, step);
  const tasks = ownEntry(state.tasks, key) ?? [];
  const index = tasks.findIndex(({ status }) => status === 'pending');
  const task = tasks[index];
  const first = subSteps[0];
  if (task === undefined || first === undefined) return null;
  const { id, title } = task;
  const begun: Task = { ...task, status: 'in_progress' };
  const entered = {
    ...state,
    tasks: { ...state.tasks, [key]: tasks.with(index, begun) },
    task: { index, id, title },
    subStep: first.id,
  };
  return enter(template, entered, step, first, cameFrom);
}

/** Begins the present sub-step, iteration or step: each entry has its own context action and all its retries. */
export function enter(
  template: Template,
  state: MachineState,
  step: Step,
  subStep?: SubStep,
  cameFrom?: string,
): MachineState {
  const { retries: _retries, contextAction: _action, ...rest } = state;
  const entered: MachineState = { ...rest, contextActionExecuted: false };
  const context = contextBefore(template, { step, subStep, cameFrom });
  if (context !== undefined) entered.contextAction = { command: `/${context}` };
  return entered;
}

/** Null for a loop that has nothing to do. */
function arrive(
  template: Template,
  left: MachineState,
  step: Step,
  cameFrom: string | undefined,
): MachineState | null {
  const arrived: MachineState = {
    ...left,
    step: step.id,
    stepType: step.type,
  };
  if (step.type === 'ralph') arrived.ralphIteration = 1;
  if (cameFrom !== undefined) arrived.cameFrom = cameFrom;
  // A transition without it carries everything over.
  const preserve = transitionInto(template, step.id, cameFrom)?.preserve;
  if (preserve !== undefined) arrived.preserved = unique(preserve);
  const declared = declaredArtefacts(step);
  if (declared.length > 0) arrived.currentStepArtefacts = declared;

  if (step.type !== 'loop')
    return enter(template, arrived, step, undefined, cameFrom);

  const { key } = loopOfStep(template, step);
  const isWaiting = ownEntry(arrived.tasks, key) === undefined;
  return isWaiting ? arrived : enterNextTask(template, arrived, step, cameFrom);
}

/** Without what belongs to one stay in a step. */
function leave(state: MachineState, passedBy: string[]): MachineState {
  const {
    task: _task,
    subStep: _subStep,
    ralphIteration: _iteration,
    currentStepArtefacts: _artefacts,
    cameFrom: _cameFrom,
    preserved: _preserved,
    sentBack: _sentBack,
    notCarriedOver: _notCarriedOver,
    passedBy: _passedBy,
    retries: _retries,
    contextAction: _action,
    ...rest
  } = state;
  const passed = passedBy.length === 0 ? {} : { passedBy };
  return { ...rest, ...passed, contextActionExecuted: false };
}

/** The files that a step must leave; none where it only records what the session writes. */
export function declaredArtefacts({ artefacts }: Step): string[] {
  return Array.isArray(artefacts) ? unique(artefacts.map(String)) : [];
}

/** The files of all steps, and these of the current one. */
export function artefactsWith(
  { artefacts, step }: MachineState,
  more: readonly string[] = [],
): MachineState['artefacts'] {
  if (more.length === 0) return { ...artefacts };
  const before = ownEntry(artefacts, step) ?? [];
  return { ...artefacts, [step]: unique([...before, ...more]) };
}

export function unique(paths: readonly string[]): string[] {
  return [...new Set(paths)];
}
