import { describe, expect, test } from 'vitest';
import { checkedSnapshot } from '../../../src/machine/check-state.ts';
import { WorkflowStateMachine } from '../../../src/machine/machine.ts';
import {
  action,
  aTemplate,
  loop,
  ralph,
  started,
  sub,
} from '../../support/templates.ts';
import { saying } from '../../support/failures.ts';

const template = aTemplate([loop('items'), ralph('polish', 2), action('end')], {
  loops: { items: [sub('write'), sub('review')] },
});

const atTask = (() => {
  const machine = started(template);
  machine.setTasks('items', [{ title: 'A' }, { title: 'B' }]);
  return machine.getState();
})();

const atRalph = (() => {
  const machine = started(template);
  machine.setTasks('items', []);
  return machine.getState();
})();

const task = { index: 0, id: '1', title: 'A' };
const list = (...statuses: string[]) => ({
  items: statuses.map((status, index) => ({
    id: String(index + 1),
    title: 'A',
    status,
  })),
});

describe('a state that cannot be is refused by the name of the field', () => {
  test.each<[string, unknown, string]>([
    ['no object', null, 'machine must be an object'],
    ['nothing', undefined, 'machine must be an object'],
    [
      'a number to which one cannot be added',
      { ...atTask, pivots: 1e300 },
      `machine.pivots must be at most ${Number.MAX_SAFE_INTEGER}`,
    ],
    ['an unknown status', { ...atTask, status: 'paused' }, 'machine.status'],
    [
      'an unknown step',
      { ...atTask, step: 'gone' },
      'machine.step must be a step of the template',
    ],
    [
      'another type',
      { ...atTask, stepType: 'action' },
      'machine.stepType must be "loop"',
    ],
    [
      'another task at the index',
      { ...atTask, task: { ...task, id: '2' } },
      'machine.task.id',
    ],
    [
      'a task of no status',
      { ...atTask, tasks: list('open') },
      'machine.tasks.items[0].status',
    ],
    [
      'two tasks of one id',
      {
        ...atTask,
        tasks: {
          items: [...list('in_progress').items, ...list('pending').items],
        },
      },
      'machine.tasks.items must be a list without',
    ],
    [
      'an iteration too many',
      { ...atRalph, ralphIteration: 3 },
      'machine.ralphIteration must be a whole number from 1 to 2',
    ],
    [
      'a task where there are none',
      { ...atRalph, task },
      'machine.task must be absent',
    ],
    [
      'an odd output',
      { ...atTask, outputs: { plan: 1 } },
      'machine.outputs.plan must be text',
    ],
    [
      'action',
      { ...atTask, contextAction: { command: '/exit' } },
      'machine.contextAction.command',
    ],
  ])('%s', (_what, state, message) => {
    expect(() => WorkflowStateMachine.fromState(template, state)).toThrow(
      saying(`the state of this run is broken: ${message}`),
    );
  });
});

test.each([
  [
    'of a step',
    { steps: [{ ...template.steps[0], id: 'a; curl x' }] },
    'template.steps[0].id',
  ],
  ['of a loop', { loops: { 'a `b`': [] } }, 'each name in template.loops'],
  [
    'of a sub-step',
    { loops: { items: [{ id: 'a b', instructions: 'x' }] } },
    'each id in template',
  ],
])(
  'an id %s that no template could have is refused: it would be a word of commands',
  (_, part, field) => {
    const copy = { ...template, ...part };
    expect(() => checkedSnapshot(copy)).toThrow(
      expect.objectContaining({ code: 'broken_run' }),
    );
    expect(() => checkedSnapshot(copy)).toThrow(field);
    expect(
      checkedSnapshot({ ...template, steps: [action('größe_1')] }),
    ).toBeTruthy();
  },
);

test('a valid state is taken as it is, with keys of others, and is not shared', () => {
  const mine = { ...atTask, kept: [{ key: 'plan' }], noted_by: 'a person' };
  const machine = WorkflowStateMachine.fromState(template, mine);
  expect(machine.getState()).toEqual(mine);
  mine.tasks['items']?.splice(0);
  machine.advance();
  machine.advance();
  expect(machine.getState()).toMatchObject({
    noted_by: 'a person',
    task: { title: 'B' },
  });
  machine.advance();
  machine.advance();
  machine.advance();
  expect(machine.getState()).toMatchObject({
    kept: [{ key: 'plan' }],
    step: 'polish',
  });
});

test.each([
  [false, 'clear'],
  [true, null],
])(
  'other programs store only whether a context action was executed: %s',
  (wasAsked, due) => {
    const clear = aTemplate([action('plan', { context: 'clear' })]);
    const { contextAction: _action, ...state } = started(clear).getState();
    const stored = { ...state, contextActionExecuted: wasAsked };
    expect(
      WorkflowStateMachine.fromState(clear, stored).getContextActionIfNeeded(),
    ).toBe(due);
  },
);
