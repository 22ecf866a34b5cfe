import { isObject, ownEntry } from '../../text/json.ts';
import { MACHINE_STATUSES, TASK_STATUSES, type MachineState } from './machine-state.ts';
import { broken, BrokenRun, placeOf, stepOf } from './position.ts';
import type { Template } from '../template-types.generated.ts';

/**
 * What a value in a state file must be: `text`, `boolean` or one of the texts between `|`; a whole number, at least this
 * one; a list; an object. Its fields are named several at a time, those with `?` may be absent, and `*` stands for all
 * fields. Other fields may have any value.
 */
type Shape = string | number | readonly [Shape] | { readonly [names: string]: Shape };

const CONTEXT = 'compact|clear';
const ON_FAIL = 'retry|skip|abort';

const TEMPLATE: Shape = {
  'name description': 'text',
  steps: [
    {
      'id title? instructions? agent? when? gate? phase? until?': 'text',
      type: 'action|loop|ralph|approval',
      'n?': 1,
      'context?': CONTEXT,
      'on_fail?': ON_FAIL,
    },
  ],
  'max_pivots?': 1,
  'max_retries?': 0,
  'loops?': {
    '*': [{ 'id instructions agent? gate?': 'text', 'on_fail?': ON_FAIL, 'context?': CONTEXT }],
  },
  'transitions?': [{ 'from to': 'text', context: 'clear|compact|keep', 'preserve?': ['text'] }],
};

const MACHINE: Shape = {
  status: MACHINE_STATUSES.join('|'),
  'step stepType subStep? summary? cameFrom? reason?': 'text',
  tasks: { '*': [{ 'id title description? reason?': 'text', status: TASK_STATUSES.join('|') }] },
  'outputs sentBack?': { '*': 'text' },
  artefacts: { '*': ['text'] },
  contextActionExecuted: 'boolean',
  'task?': { index: 0, 'id title': 'text' },
  'ralphIteration?': 1,
  'inputs?': {},
  'passedBy? currentStepArtefacts? preserved?': ['text'],
  'contextAction?': { command: '/compact|/clear', '*': 'text' },
  'retries? pivots?': 0,
  'leftBehind?': { 'outputs?': ['text'], 'context artifacts': {} },
};

/** The copy of a template in a state file, which somebody may have edited; a failure names what is wrong in it. */
export function checkedSnapshot(value: unknown): Template {
  requireTemplate(value);
  requireDistinctIds(value.steps, 'template.steps');
  return value;
}

/** A state that somebody may have edited, or that belongs to an older template; a failure names what is wrong in it. */
export function checkedState(template: Template, value: unknown): MachineState {
  const state = withArtefactsByStep(value);
  requireMachine(state);
  stepOf(template, state);
  const place = placeOf(template, state);
  const current = place?.kind === 'task' ? place : null;
  if (place !== null && current === null && state.task !== undefined)
    throw broken('task', 'absent, as this step has no tasks');
  if (current !== null && state.task?.id !== current.task.id)
    throw broken('task.id', `"${current.task.id}", the id of the task at that index`);
  for (const [key, list] of Object.entries(state.tasks))
    requireDistinctIds(list, `machine.tasks.${key}`);
  // The state of another program says only whether the action was executed; which one it is, the template says.
  const context = current?.subStep.context ?? place?.step.context;
  const isKnown = (state.contextAction ?? state.cameFrom) !== undefined;
  return isKnown || context === undefined || place?.kind === 'waiting'
    ? state
    : { ...state, contextAction: { command: `/${context}` } };
}

/** A plain list of artefacts counts as the current step's. Whether a step records what is written, its template says. */
function withArtefactsByStep(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { currentStepArtefacts: current, ...rest } = value;
  const { step, artefacts } = value;
  const kept = typeof current === 'boolean' ? rest : value;
  if (!Array.isArray(artefacts)) return kept;
  const isAttributable = typeof step === 'string' && artefacts.length > 0;
  return { ...kept, artefacts: isAttributable ? { [step]: artefacts } : {} };
}

function requireDistinctIds(list: readonly { id: string }[], field: string): void {
  if (new Set(list.map(({ id }) => id)).size < list.length)
    throw new BrokenRun(field, 'a list without an id that is there twice');
}

function requireTemplate(value: unknown): asserts value is Template {
  requireShape(TEMPLATE, value, 'template');
}

function requireMachine(value: unknown): asserts value is MachineState {
  requireShape(MACHINE, value, 'machine');
}

/** Throws unless the value fits; `field` is its path, such as `template.steps[2].id`. */
function requireShape(shape: Shape, value: unknown, field: string): void {
  const require = (fits: boolean, expected: string): void => {
    if (!fits) throw new BrokenRun(field, expected);
  };
  if (shape === 'text') return require(typeof value === 'string', 'text');
  if (shape === 'boolean') return require(typeof value === 'boolean', 'true or false');
  if (typeof shape === 'string') {
    const allowed = shape.split('|');
    return require(allowed.some((text) => text === value), `one of ${allowed.join(', ')}`);
  }
  if (typeof shape === 'number') {
    const fits = typeof value === 'number' && Number.isSafeInteger(value) && value >= shape;
    return require(fits, `a whole number, at least ${shape}`);
  }
  if (isList(shape)) {
    if (!Array.isArray(value)) throw new BrokenRun(field, 'a list');
    for (const [index, part] of value.entries()) requireShape(shape[0], part, `${field}[${index}]`);
    return;
  }
  if (!isObject(value)) throw new BrokenRun(field, 'an object');
  for (const [names, part] of Object.entries(shape)) {
    const isAny = names === '*';
    const keys: string[] = isAny ? Object.keys(value) : names.split(' ');
    for (const name of keys) {
      const key: string = isAny ? name : name.replace('?', '');
      const member: unknown = ownEntry(value, key);
      if (member !== undefined || key === name) requireShape(part, member, `${field}.${key}`);
    }
  }
}

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);
