import type { ContextCommand, MachineState } from './machine-state.ts';
import type {
  ContextAction,
  Step,
  SubStep,
  Template,
  Transition,
} from './template-types.generated.ts';

// Compacting or clearing the conversation before a step: where it is due, requested and performed.

export interface ContextActionState {
  command: ContextCommand;
  state: 'due' | 'requested' | 'performed';
}

/** What is entered: a step, or a sub-step of its loop. */
interface Entry {
  step: Step;
  /** Undefined where the step has none. */
  subStep: SubStep | undefined;
  /** The step that was left, for the first entry into a step only. */
  cameFrom: string | undefined;
}

/** The `/compact` or `/clear` that belongs before an entry. A sub-step's own comes first, then the way between two steps. */
export function contextBefore(
  template: Template,
  { step, subStep, cameFrom }: Entry,
): ContextAction | undefined {
  if (subStep?.context !== undefined) return subStep.context;
  const transition = transitionInto(template, step.id, cameFrom);
  if (transition === undefined) return step.context;
  return transition.context === 'keep' ? undefined : transition.context;
}

/** What the template says about the way from one step to another. */
export function transitionInto(
  { transitions }: Template,
  step: string,
  cameFrom: string | undefined,
): Transition | undefined {
  if (cameFrom === undefined) return undefined;
  return transitions?.find(({ from, to }) => from === cameFrom && to === step);
}

/** None for a run that is over, nor for a loop that waits for its tasks. */
export function contextActionState(
  state: MachineState,
): ContextActionState | null {
  const { contextAction: action } = state;
  const isWaiting = state.stepType === 'loop' && state.task === undefined;
  if (action === undefined || state.status !== 'running' || isWaiting)
    return null;
  if (!state.contextActionExecuted)
    return { command: action.command, state: 'due' };
  const isPerformed = action.performedAt !== undefined;
  return {
    command: action.command,
    state: isPerformed ? 'performed' : 'requested',
  };
}

/** Nothing is left after a clear, so it is a compaction too; not the reverse. */
export function performContextAction(
  state: MachineState,
  happened: ContextAction,
  at: string,
): MachineState {
  const current = contextActionState(state);
  const { contextAction: action } = state;
  if (action === undefined || current === null || current.state === 'performed')
    return state;
  if (happened === 'compact' && action.command === '/clear') return state;
  return {
    ...state,
    contextActionExecuted: true,
    contextAction: { ...action, performedAt: at },
  };
}
