import { isObject } from '../../text/json.ts';
import { loopsOf } from './loops.ts';
import { MACHINE_STATUSES, ownEntry, TASK_STATUSES, type MachineState } from './machine-state.ts';
import { broken, BrokenRun, positionOf, stepOf } from './position.ts';
import type { Template } from '../template-types.generated.ts';

/**
 * What a value in a state file must be: of a kind, or one of the texts between `|`; a whole number, at least this one; a
 * list, with at least one entry if it says so; an object with these fields. A field with `?` may be absent, and `*`
 * stands for all others, which may else have any value.
 */
type Shape = string | number | readonly [Shape, 'filled'?] | Fields;

interface Fields {
  readonly [name: string]: Shape;
}

const KINDS: Record<string, { name: string; types: string[] }> = {
  text: { name: 'text', types: ['string'] },
  boolean: { name: 'true or false', types: ['boolean'] },
  any: { name: 'set', types: ['string', 'number', 'boolean', 'object'] },
  scalar: { name: 'text, a number, true or false', types: ['string', 'number', 'boolean'] },
};

const CONTEXT = 'compact|clear';
const ON_FAIL = 'retry|skip|abort';

const TEMPLATE: Shape = {
  name: 'text',
  description: 'text',
  steps: [
    {
      id: 'text',
      type: 'action|loop|ralph|approval',
      'n?': 1,
      'artefacts?': 'any',
      'context?': CONTEXT,
      'on_fail?': ON_FAIL,
      'title?': 'text',
      'instructions?': 'text',
      'agent?': 'text',
      'when?': 'text',
      'gate?': 'text',
      'phase?': 'text',
      'until?': 'text',
    },
    'filled',
  ],
  'max_pivots?': 1,
  'max_retries?': 0,
  'loops?': {
    '*': [
      {
        id: 'text',
        instructions: 'text',
        'agent?': 'text',
        'gate?': 'text',
        'on_fail?': ON_FAIL,
        'context?': CONTEXT,
      },
      'filled',
    ],
  },
  'transitions?': [
    {
      from: 'text',
      to: 'text',
      context: 'clear|compact|keep',
      'preserve?': ['text'],
    },
  ],
  'critical_artifacts?': {},
};

const MACHINE: Shape = {
  status: MACHINE_STATUSES.join('|'),
  step: 'text',
  stepType: 'text',
  tasks: {
    '*': [{ id: 'text', title: 'text', status: TASK_STATUSES.join('|'), 'description?': 'text' }],
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
  'contextAction?': { command: '/compact|/clear', '*': 'text' },
  'retries?': 0,
  'pivots?': 0,
  'cameFrom?': 'text',
  'preserved?': ['text'],
  'leftBehind?': { context: {}, artifacts: { '*': 'text' } },
  'reason?': 'text',
};

/** The copy of a template in a state file, which somebody may have edited; a failure names what is wrong in it. */
export function checkedSnapshot(value: unknown): Template {
  requireTemplate(value);
  const loops = loopsOf(value);
  const ids = new Set<string>();
  for (const [index, { id, type, n, artefacts }] of value.steps.entries()) {
    const wrong = (field: string, expected: string): BrokenRun =>
      new BrokenRun(`template.steps[${index}].${field}`, expected);
    if (Array.isArray(artefacts))
      requireShape(['text'], artefacts, `template.steps[${index}].artefacts`);
    if (ids.has(id)) throw wrong('id', 'an id that no other step has');
    if (type === 'loop' && !loops.has(id)) throw wrong('loop', 'a loop of the template');
    if (type === 'ralph' && n === undefined) throw wrong('n', 'a whole number, at least 1');
    ids.add(id);
  }
  return value;
}

/** A state that somebody may have edited, or that belongs to an older template; a failure names what is wrong in it. */
export function checkedState(template: Template, value: unknown): MachineState {
  const state = withArtefactsByStep(value);
  requireMachine(state);
  stepOf(template, state);
  const place = state.status === 'complete' ? null : positionOf(template, state);
  const current = place?.kind === 'task' ? place : null;
  if (place !== null && current === null && state.task !== undefined)
    throw broken('task', 'absent, as this step has no tasks');
  if (current !== null && state.task?.id !== current.task.id)
    throw broken('task.id', `"${current.task.id}", the id of the task at that index`);
  for (const [key, list] of Object.entries(state.tasks)) {
    const ids = new Set<string>();
    for (const [index, { id, status }] of list.entries()) {
      if (ids.has(id)) throw broken(`tasks.${key}[${index}].id`, 'an id that no other task has');
      ids.add(id);
      // One that is under way although nobody works on it would never be finished.
      const isCurrent = current?.loop.key === key && current.taskIndex === index;
      if ((status === 'in_progress') !== isCurrent)
        throw broken(
          `tasks.${key}[${index}].status`,
          isCurrent ? '"in_progress", as it is the current task' : 'anything but "in_progress"',
        );
    }
  }
  return state;
}

/**
 * A plain list of artefacts does not say which step made them; they count as the current step's. Whether the step records
 * what is written, as a boolean, is what its template says.
 */
function withArtefactsByStep(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { currentStepArtefacts: current, ...rest } = value;
  const { step, artefacts } = value;
  const kept = typeof current === 'boolean' ? rest : value;
  if (!Array.isArray(artefacts)) return kept;
  const isAttributable = typeof step === 'string' && artefacts.length > 0;
  return { ...kept, artefacts: isAttributable ? { [step]: artefacts } : {} };
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
  if (typeof shape === 'string') {
    const kind = KINDS[shape];
    const allowed = shape.split('|');
    require(kind === undefined
      ? allowed.some((text) => text === value)
      : kind.types.includes(typeof value), kind?.name ?? `one of ${allowed.join(', ')}`);
  } else if (typeof shape === 'number') {
    const fits = typeof value === 'number' && Number.isSafeInteger(value) && value >= shape;
    require(fits, `a whole number, at least ${shape}`);
  } else if (isList(shape)) {
    const [entry, filled] = shape;
    const list: unknown[] = Array.isArray(value) ? value : [];
    require(Array.isArray(value), 'a list');
    require(filled === undefined || list.length > 0, 'a list that is not empty');
    for (const [index, part] of list.entries()) requireShape(entry, part, `${field}[${index}]`);
  } else {
    const object = isObject(value) ? value : {};
    require(isObject(value), 'an object');
    const needed = Object.keys(shape).filter((name) => /\w$/.test(name));
    for (const name of new Set([...needed, ...Object.keys(object)])) {
      const given = ownEntry(object, name);
      const part = ownEntry(shape, name) ?? ownEntry(shape, `${name}?`) ?? shape['*'];
      if (part !== undefined && (given !== undefined || needed.includes(name)))
        requireShape(part, given, `${field}.${name}`);
    }
  }
}

function isList(shape: Shape): shape is readonly [Shape, 'filled'?] {
  return Array.isArray(shape);
}
