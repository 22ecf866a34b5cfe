import { unreachable } from '../../text/unreachable.ts';
import { declaredArtefacts, unique } from './artefacts.ts';
import { isPassedBy, type MachineContext } from './conditions.ts';
import { contextBefore, transitionInto } from './context-action.ts';
import { ownEntry, type MachineState, type Task } from './machine-state.ts';
import { loopOfStep } from './position.ts';
import type {
  ContextAction,
  Step,
  SubStep,
  Template,
  Transition,
} from '../template-types.generated.ts';

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
  const isBefore = (id: string): boolean =>
    template.steps.slice(0, index).some((step) => step.id === id);
  let left = withPassedBy(leave(state), (state.passedBy ?? []).filter(isBefore));
  let from = cameFrom;
  for (const step of template.steps.slice(index)) {
    if (isPassedBy(step, left, facts)) {
      // The transition that counts is still the one from the step that was really left.
      left = withPassedBy(left, [...(left.passedBy ?? []), step.id]);
      continue;
    }
    const entered = arrive(template, left, step, from);
    if (entered !== null) return entered;
    from = step.id;
  }
  const last = template.steps.at(-1);
  if (last === undefined) return { ...left, status: 'complete' };
  return { ...left, step: last.id, stepType: last.type, status: 'complete' };
}

function withPassedBy(state: MachineState, ids: string[]): MachineState {
  const { passedBy: _before, ...rest } = state;
  return ids.length === 0 ? rest : { ...rest, passedBy: ids };
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
  return enter(
    {
      ...state,
      tasks: { ...state.tasks, [key]: tasks.with(index, begun) },
      task: { index, id, title },
      subStep: first.id,
    },
    contextBefore(template, step, first, cameFrom),
  );
}

export function enterSubStep(
  template: Template,
  state: MachineState,
  step: Step,
  subStep: SubStep,
): MachineState {
  return enter(
    { ...state, subStep: subStep.id },
    contextBefore(template, step, subStep, undefined),
  );
}

export function enterIteration(
  template: Template,
  state: MachineState,
  step: Step,
  ralphIteration: number,
  cameFrom?: string,
): MachineState {
  return enter({ ...state, ralphIteration }, contextBefore(template, step, undefined, cameFrom));
}

/** Null for a loop that has nothing to do. */
function arrive(
  template: Template,
  left: MachineState,
  step: Step,
  cameFrom: string | undefined,
): MachineState | null {
  const declared = declaredArtefacts(step);
  const arrived: MachineState = {
    ...left,
    step: step.id,
    stepType: step.type,
    ...(cameFrom === undefined ? {} : { cameFrom }),
    ...preservedBy(transitionInto(template, step.id, cameFrom)),
    ...(declared.length === 0 ? {} : { currentStepArtefacts: declared }),
  };
  switch (step.type) {
    case 'action':
    case 'approval':
      return enter(arrived, contextBefore(template, step, undefined, cameFrom));
    case 'ralph':
      return enterIteration(template, arrived, step, 1, cameFrom);
    case 'loop':
      return ownEntry(arrived.tasks, loopOfStep(template, step).key) === undefined
        ? arrived
        : enterNextTask(template, arrived, step, cameFrom);
    default:
      return unreachable(step.type);
  }
}

/** A clear that names nothing carries nothing over; any other transition without `preserve` carries everything over. */
function preservedBy(transition: Transition | undefined): Pick<MachineState, 'preserved'> {
  if (transition?.preserve !== undefined) return { preserved: unique(transition.preserve) };
  return transition?.context === 'clear' ? { preserved: [] } : {};
}

/** Every entry has its own context action and all its retries. */
function enter(state: MachineState, context: ContextAction | undefined): MachineState {
  const { retries: _retries, contextAction: _action, ...rest } = state;
  return {
    ...rest,
    contextActionExecuted: false,
    ...(context === undefined ? {} : { contextAction: { command: `/${context}` } }),
  };
}

function leave(state: MachineState): MachineState {
  const {
    task: _task,
    subStep: _subStep,
    ralphIteration: _iteration,
    currentStepArtefacts: _artefacts,
    cameFrom: _cameFrom,
    preserved: _preserved,
    leftBehind: _leftBehind,
    ...rest
  } = state;
  return enter(rest, undefined);
}
