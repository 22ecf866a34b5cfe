import { describe, expect, test } from 'vitest';
import type { WorkflowStateMachine } from '../../../../src/templates/machine/machine.ts';
import { action, aTemplate, loop, restarted, started, sub } from '../../../support/templates.ts';
import { saying } from '../../../support/failures.ts';

const template = aTemplate([action('plan'), loop('build', { loop: 'items' }), action('end')], {
  loops: { items: [sub('write'), sub('review')] },
});

function waiting(): WorkflowStateMachine {
  const machine = started(template);
  machine.advance();
  return machine;
}

function list(machine: WorkflowStateMachine, key = 'items'): string[] | undefined {
  return machine.getState().tasks[key]?.map(({ id, title, status }) => `${id} ${title} ${status}`);
}

describe('tasks that are given', () => {
  test('at the loop that waits begin the first', () => {
    const machine = waiting();
    machine.setTasks('items', [
      { title: ' A ' },
      { id: 'x', title: 'B', description: 'all of it' },
    ]);
    expect(list(machine)).toEqual(['1 A in_progress', 'x B pending']);
    expect(machine.getState().tasks['items']?.[1]?.description).toBe('all of it');
  });

  test('by the name of the step are the same', () => {
    const machine = waiting();
    machine.setTasks('build', [{ title: 'A' }]);
    expect(Object.keys(machine.getState().tasks)).toEqual(['items']);
  });

  test('during the loop leave what is finished and under way, change what is pending, and are appended', () => {
    const machine = waiting();
    machine.setTasks('items', [
      { id: 'a', title: 'A' },
      { id: 'b', title: 'B' },
      { id: 'c', title: 'C', description: 'old' },
      { id: 'd', title: 'D', description: 'stays' },
    ]);
    machine.advance();
    machine.advance();
    machine.setTasks('items', [
      { id: 'd', title: 'D2' },
      { id: 'c', title: 'C2', description: 'new' },
      { id: 'b', title: 'B2' },
      { id: 'a', title: 'A2' },
      { title: 'E' },
    ]);
    expect(list(machine)).toEqual([
      'a A done',
      'b B in_progress',
      'c C2 pending',
      'd D2 pending',
      '1 E pending',
    ]);
    const descriptions = machine.getState().tasks['items']?.map(({ description }) => description);
    expect(descriptions).toEqual([undefined, undefined, 'new', 'stays', undefined]);
    expect(machine.getState()).toMatchObject({ task: { index: 1, id: 'b' }, subStep: 'write' });
  });
});

describe('tasks without an id that are given again', () => {
  test('are those of the same title, whatever has become of them', () => {
    const machine = waiting();
    machine.setTasks('items', [{ title: 'a' }, { title: 'b' }]);
    machine.advance();
    machine.advance();
    machine.setTasks('items', [{ title: 'a' }, { title: 'b' }, { title: 'c' }]);
    expect(list(machine)).toEqual(['1 a done', '2 b in_progress', '3 c pending']);
  });

  test('are as many as before where several have one title, and one more where one was added', () => {
    const machine = waiting();
    machine.setTasks('items', [{ title: 'a' }, { title: 'a' }]);
    machine.setTasks('items', [{ title: 'a' }, { title: 'a' }, { title: 'a' }]);
    expect(list(machine)).toEqual(['1 a in_progress', '2 a pending', '3 a pending']);
  });

  test('are not one that the list names by its id', () => {
    const machine = waiting();
    machine.setTasks('items', [{ title: 'now' }, { id: 'x', title: 'a' }]);
    machine.setTasks('items', [{ title: 'a' }, { id: 'x', title: 'a, better' }]);
    expect(list(machine)).toEqual(['1 now in_progress', 'x a, better pending', '2 a pending']);
  });
});

describe('ids', () => {
  test('that are missing are the first free numbers', () => {
    const machine = waiting();
    machine.setTasks('items', [{ title: 'A' }, { id: '2', title: 'B' }, { id: ' ', title: 'C' }]);
    expect(list(machine)).toEqual(['1 A in_progress', '2 B pending', '3 C pending']);
    machine.setTasks('items', [{ title: 'D' }, { id: '4', title: 'E' }]);
    expect(list(machine)?.slice(3)).toEqual(['5 D pending', '4 E pending']);
  });
});

describe('refused, by the entry, and nothing is taken:', () => {
  test.each([
    ['a blank title', { title: ' \n' }, 'task 2 has no title'],
    ['an id given twice', { id: 'x', title: 'B' }, 'task 2 has the id "x" of an earlier task'],
    ['a title too long', { title: 'x'.repeat(501) }, 'task 2 has a title of 501 characters'],
    [
      'a description too long',
      { title: 'B', description: 'x'.repeat(10_001) },
      'task 2 has a description of 10001 characters',
    ],
    ['an id too long', { id: 'x'.repeat(201), title: 'B' }, 'task 2 has an id of 201 characters'],
  ])('%s', (_what, second, message) => {
    const machine = waiting();
    const before = machine.getState();
    expect(() => machine.setTasks('items', [{ id: 'x', title: 'A' }, second])).toThrow(
      saying(message),
    );
    expect(machine.getState()).toEqual(before);
  });

  test('more tasks than a loop takes', () => {
    const machine = waiting();
    const many = Array.from({ length: 100_001 }, () => ({ title: 'A' }));
    expect(() => machine.setTasks('items', many)).toThrow(
      saying('100001 tasks exceed the limit of 100000'),
    );
  });
});

describe('two steps that walk the same loop', () => {
  const twice = aTemplate(
    [loop('first', { loop: 'items' }), action('between'), loop('second', { loop: 'items' })],
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

  test('are distinguished while they wait', () => {
    const machine = started(twice);
    expect(machine.getStatus().instructions).toContain('`holdfast tasks first`');
  });
});

test('a step with the name of a loop of another step is not confused with it', () => {
  const machine = started(
    aTemplate([loop('x', { loop: 'y' }), loop('y', { loop: 'z' }), loop('w', { loop: 'z' })], {
      loops: { y: [sub('write')], z: [sub('review')] },
    }),
  );
  machine.setTasks('x', [{ title: 'X' }]);
  machine.advance();
  expect(machine.getState()).toMatchObject({ step: 'y' });
  machine.setTasks('y', [{ title: 'Y' }]);
  expect(machine.getState()).toMatchObject({ task: { title: 'Y' }, subStep: 'review' });
  expect(list(machine, 'x')).toEqual(['1 X done']);
  expect(list(machine, 'y')).toEqual(['1 Y in_progress']);
});
