import { isObject } from '../../text/json.ts';
import { unreachable } from '../../text/unreachable.ts';
import { pluralize } from '../../text/relative-time.ts';
import { sanitizeLine, truncate } from '../../text/sanitize.ts';
import type { MachineContext, RunFacts } from './conditions.ts';
import type { MachineState } from './machine-state.ts';
import { positionOf, stepOf } from './position.ts';
import type { Template } from '../template-types.generated.ts';

export interface Progress {
  currentStep: number;
  totalSteps: number;
  /** Of all loops whose tasks are known. */
  completedTasks: number;
  totalTasks: number;
  text: string;
}

const TITLE = 80;

export function progressOf(context: MachineContext, state: MachineState): Progress {
  const { template } = context;
  const lists = Object.values(state.tasks);
  const done = (count: number, list: (typeof lists)[number]): number =>
    count + list.filter(({ status }) => status === 'done').length;
  return {
    currentStep: stepOf(template, state).index + 1,
    totalSteps: template.steps.length,
    completedTasks: lists.reduce(done, 0),
    totalTasks: lists.reduce((count, list) => count + list.length, 0),
    text: progressText(context, state),
  };
}

function progressText({ template, facts }: MachineContext, state: MachineState): string {
  const total = template.steps.length;
  if (state.status === 'complete') {
    const passed = state.passedBy?.length ?? 0;
    const skipped = skippedSteps(template, state, facts);
    const finished = total - passed - skipped;
    return [
      pluralize(total, 'step'),
      finished === total ? 'all finished' : `${finished} finished`,
      ...(skipped === 0 ? [] : [`${skipped} skipped`]),
      ...(passed === 0 ? [] : [`${passed} passed by`]),
    ].join(', ');
  }
  const { index, step } = stepOf(template, state);
  return [
    `step ${index + 1} of ${total} (${step.id})`,
    ...detailsOf(template, state),
    ...(state.status === 'failed' ? ['failed'] : []),
  ].join(', ');
}

/** The run records them by the numbers of their phases. */
function skippedSteps(
  { steps }: Template,
  { passedBy = [] }: MachineState,
  facts: RunFacts,
): number {
  const { skipped } = facts;
  if (!isObject(skipped)) return 0;
  return steps.filter(
    ({ id }, index) => Object.hasOwn(skipped, String(index + 1)) && !passedBy.includes(id),
  ).length;
}

function detailsOf(template: Template, state: MachineState): string[] {
  const place = positionOf(template, state);
  switch (place.kind) {
    case 'action':
      return [];
    case 'ralph':
      return [`iteration ${place.iteration} of ${place.total}`];
    case 'approval':
      return ["waiting for the user's approval"];
    case 'waiting':
      return ['waiting for its tasks'];
    case 'task': {
      const title = truncate(sanitizeLine(place.task.title), TITLE);
      return [
        `task ${place.taskIndex + 1} of ${place.tasks.length} (${title})`,
        `sub-step ${place.subStep.id}`,
      ];
    }
    default:
      return unreachable(place);
  }
}
