import { describe, expect, test } from 'vitest';
import type { WorkflowStateMachine } from '../../../src/machine/machine.ts';
import type { GivenTask } from '../../../src/machine/give-tasks.ts';
import {
  action,
  aTemplate,
  loop,
  restarted,
  started,
  sub,
} from '../../support/templates.ts';
import { saying } from '../../support/failures.ts';

const template = aTemplate(
  [action('plan'), loop('build', { loop: 'items' }), action('end')],
  {
    loops: { items: [sub('write'), sub('review')] },
  },
);

function waiting(): WorkflowStateMachine {
  const machine = started(template);
  machine.advance();
  return machine;
}

function list(
  machine: WorkflowStateMachine,
  key = 'items',
): string[] | undefined {
  return machine
    .getState()
    .tasks[key]?.map(({ id, title, status }) => `${id} ${title} ${status}`);
}

/** `x=B` is a task with an id, `B` one without. */
function tasksIn(line: string): GivenTask[] {
  return line.split(',').map((word) => {
    const [title = '', id] = word.split('=').toReversed();
    return { id, title };
  });
}

test.each([
  ['begin the first', ' A ,x=B', 0, '', '1 A in_progress, x B pending'],
  [
    'leave what is finished and under way, change what is pending, and are appended',
    'a=A,b=B,c=C,d=D',
    2,
    'd=D2,c=C2,b=B2,a=A2,E',
    'a A done, b B in_progress, c C2 pending, d D2 pending, 1 E pending',
  ],
  [
    'are those of the same title',
    'a,b',
    2,
    'a,b,c',
    '1 a done, 2 b in_progress, 3 c pending',
  ],
  [
    'differ by their ids',
    'n,x=a',
    0,
    'a,x=b',
    '1 n in_progress, x b pending, 2 a pending',
  ],
  [
    'get numbers',
    'A,2=B, =C',
    0,
    'D,4=E',
    '1 A in_progress, 2 B pending, 3 C pending, 5 D pending, 4 E pending',
  ],
])('tasks that are given %s', (_what, first, moves, second, expected) => {
  const machine = waiting();
  machine.setTasks('build', tasksIn(first));
  for (let moved = 0; moved < moves; moved += 1) machine.advance();
  if (second !== '') machine.setTasks('items', tasksIn(second));
  expect(list(machine)?.join(', ')).toBe(expected);
});

describe('refused, by the entry, and nothing is taken:', () => {
  test.each([
    ['a blank title', { title: ' \n' }, 'task 2 has no title'],
    [
      'an id given twice',
      { id: 'x', title: 'B' },
      'task 2 has the id "x" of an earlier task',
    ],
    [
      'a title too long',
      { title: 'x'.repeat(501) },
      'task 2 has 501 characters in its title',
    ],
  ])('%s', (_what, second, message) => {
    const machine = waiting();
    const before = machine.getState();
    expect(() =>
      machine.setTasks('items', [{ id: 'x', title: 'A' }, second]),
    ).toThrow(saying(message));
    expect(machine.getState()).toEqual(before);
  });
});

describe('two steps that walk the same loop', () => {
  const twice = aTemplate(
    [
      loop('first', { loop: 'items' }),
      action('between'),
      loop('second', { loop: 'items' }),
    ],
    { loops: { items: [sub('write')] } },
  );

  test('have tasks of their own, kept by step; by the loop the present or next one is meant', () => {
    const machine = started(twice);
    machine.setTasks('second', [{ title: 'Z' }]);
    machine.setTasks('items', [{ title: 'A' }]);
    expect(list(machine, 'first')).toEqual(['1 A in_progress']);
    expect(list(machine, 'second')).toEqual(['1 Z pending']);
    machine.advance();
    machine.setTasks('items', [{ title: 'Y' }]);
    expect(list(machine, 'second')).toEqual(['1 Y pending']);
    machine.advance();
    expect(restarted(machine).getState().task?.title).toBe('Y');
  });
});
