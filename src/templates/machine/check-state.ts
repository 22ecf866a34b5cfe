import { MACHINE_STATUSES, TASK_STATUSES, type MachineState } from './machine-state.ts';
import { broken, positionOf, stepOf } from './position.ts';
import { requireShape, type Shape } from './shape-checks.ts';
import { isObject } from '../../text/json.ts';
import type { Template } from '../template-types.generated.ts';

const MACHINE: Shape = {
  status: new Set(MACHINE_STATUSES),
  step: 'text',
  stepType: 'text',
  tasks: {
    '*': [{ id: 'text', title: 'text', status: new Set(TASK_STATUSES), 'description?': 'text' }],
  },
  outputs: { '*': 'text' },
  artefacts: { '*': ['text'] },
  contextActionExecuted: 'boolean',
  'task?': { index: 0, id: 'text', title: 'text' },
  'subStep?': 'text',
  'ralphIteration?': 1,
  'inputs?': { '*': 'scalar' },
  'passedBy?': ['text'],
  'summary?': 'text',
  'currentStepArtefacts?': ['text'],
  'contextAction?': {
    command: new Set(['/compact', '/clear']),
    'requestedAt?': 'text',
    'performedAt?': 'text',
  },
  'retries?': 0,
  'pivots?': 0,
  'cameFrom?': 'text',
  'preserved?': ['text'],
  'leftBehind?': { context: { '*': 'anything' }, artifacts: { '*': 'text' } },
  'reason?': 'text',
};

/** A state that somebody may have edited, or that belongs to an older template; a failure names what is wrong in it. */
export function checkedState(template: Template, value: unknown): MachineState {
  const state = withArtefactsByStep(withoutFlag(value));
  requireMachine(state);
  requireDistinctTasks(state);
  requirePlace(template, state);
  return state;
}

/** Whether the step records what is written, as a boolean, is what its template says. */
function withoutFlag(value: unknown): unknown {
  if (!isObject(value) || typeof value['currentStepArtefacts'] !== 'boolean') return value;
  const { currentStepArtefacts: _flag, ...state } = value;
  return state;
}

/** A plain list of artefacts does not say which step made them; they count as the current step's. */
function withArtefactsByStep(value: unknown): unknown {
  if (!isObject(value) || !Array.isArray(value['artefacts'])) return value;
  const { step, artefacts } = value;
  const isAttributable = typeof step === 'string' && artefacts.length > 0;
  return { ...value, artefacts: isAttributable ? { [step]: artefacts } : {} };
}

function requireMachine(value: unknown): asserts value is MachineState {
  requireShape(MACHINE, value, 'machine');
}

function requireDistinctTasks({ tasks }: MachineState): void {
  for (const [key, list] of Object.entries(tasks)) {
    const seen = new Set<string>();
    for (const [index, { id }] of list.entries()) {
      if (seen.has(id)) throw broken(`tasks.${key}[${index}].id`, 'an id that no other task has');
      seen.add(id);
    }
  }
}

function requirePlace(template: Template, state: MachineState): void {
  if (state.status === 'complete') {
    stepOf(template, state);
    requireUnderWay(state, null);
    return;
  }
  const place = positionOf(template, state);
  if (place.kind !== 'task') {
    if (state.task !== undefined) throw broken('task', 'absent, as this step has no tasks');
    requireUnderWay(state, null);
    return;
  }
  if (state.task?.id !== place.task.id)
    throw broken('task.id', `"${place.task.id}", the id of the task at that index`);
  requireUnderWay(state, { key: place.loop.key, index: place.taskIndex });
}

/** The present task is under way and no other is: one that nobody works on would never be finished. */
function requireUnderWay(
  { tasks }: MachineState,
  present: { key: string; index: number } | null,
): void {
  for (const [key, list] of Object.entries(tasks)) {
    const mine = present?.key === key ? present.index : -1;
    const wrong = list.findIndex(({ status }, at) => (status === 'in_progress') !== (at === mine));
    if (wrong === -1) continue;
    throw broken(
      `tasks.${key}[${wrong}].status`,
      wrong === mine ? '"in_progress", as it is the current task' : 'anything but "in_progress"',
    );
  }
}
