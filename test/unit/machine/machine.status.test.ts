import { describe, expect, test } from 'vitest';
import { WorkflowStateMachine } from '../../../src/machine/machine.ts';
import type { Template } from '../../../src/machine/template-types.generated.ts';
import {
  action,
  aTemplate,
  loop,
  play,
  played,
  ralph,
  started,
  sub,
} from '../../support/templates.ts';

test.each([
  ['step', undefined, 'step'],
  ['step', 'sub', 'sub'],
  [undefined, 'sub', 'sub'],
  [undefined, undefined, null],
])('the agent of step %s, sub-step %s: %s', (ofStep, ofSub, agent) => {
  const step = loop('items', ofStep === undefined ? {} : { agent: ofStep });
  const items = [sub('write', ofSub === undefined ? {} : { agent: ofSub })];
  const machine = played(
    aTemplate([step], { loops: { items } }),
    'tasks:items=A',
  );
  expect(machine.getStatus()).toMatchObject({
    agent,
    delegate: agent !== null,
  });
});

/** What to do at a place, of a run with the inputs `target`, `count` and `dry`. */
function instructionsAt(template: Template, moves: string): string {
  const machine = new WorkflowStateMachine(template);
  machine.start('', { target: '{outputs.plan} $&', count: 3, dry: false });
  for (const move of moves.split(' ').filter((word) => word !== ''))
    play(machine, move);
  return machine.getStatus().instructions;
}

describe('instructions contain', () => {
  test.each([
    [
      'values',
      '{outputs.plan}, {inputs.count} times, {inputs.dry}',
      'x',
      'x, 3 times, false',
    ],
    [
      'a value literally',
      '{inputs.target}: {outputs.plan}',
      '{inputs.count}$1',
      '{outputs.plan} $&: {inputs.count}$1',
    ],
    [
      'what has no value',
      '{inputs.color} {outputs.review.1}',
      'x',
      '(no input "color") (no output of "review.1")',
    ],
  ])('%s', (_what, instructions, output, expected) => {
    const template = aTemplate([
      action('plan'),
      action('build', { instructions }),
    ]);
    expect(instructionsAt(template, `next=${output}`)).toBe(expected);
  });

  test('a long output with a mark where it is cut', () => {
    const build = action('build', {
      instructions: 'Plan: {outputs.plan} End.',
    });
    const text = instructionsAt(
      aTemplate([action('plan'), build]),
      `next=${'x'.repeat(5_000)}`,
    );
    expect(text.length).toBeLessThan(2_300);
    expect(text).toMatch(/x… \(cut: 5000 characters in all; .+\) End\.$/);
  });

  test('the last iteration by the id of a ralph step', () => {
    const instructions = '{outputs.polish} {outputs.polish.2}';
    const template = aTemplate([
      ralph('polish', 11),
      action('end', { instructions }),
    ]);
    const moves = Array.from(
      { length: 11 },
      (_, index) => `next=${index + 1}`,
    ).join(' ');
    expect(instructionsAt(template, moves)).toBe('11 2');
  });

  test.each([
    [
      'a task',
      '{task.id}: {task.title}, {task.description}',
      undefined,
      'T-1: Log in, all of it',
    ],
    [
      'braces',
      '{task} {task.Title} {{task.id}} {x}',
      undefined,
      '{task} {task.Title} {T-1} {x}',
    ],
    [
      'its loop first',
      'Write {task.title}.',
      'For {inputs.count}:\n',
      'For 3:\n\nWrite Log in.',
    ],
  ])('%s', (_what, instructions, own, expected) => {
    const items = loop('items', own === undefined ? {} : { instructions: own });
    const template = aTemplate([items], {
      loops: { items: [sub('write', { instructions })] },
    });
    const machine = new WorkflowStateMachine(template);
    machine.start('', { count: 3 });
    machine.setTasks('items', [
      { id: 'T-1', title: 'Log in', description: 'all of it' },
    ]);
    expect(machine.getStatus().instructions).toBe(expected);
  });

  test.each(['$&', '$`', '{task.id}', '{inputs.dry}'])(
    'the title %s as it is, and nothing for a description that is missing',
    (title) => {
      const write = sub('write', {
        instructions: 'Do {task.title}![{task.description}]',
      });
      const machine = started(
        aTemplate([loop('items')], { loops: { items: [write] } }),
      );
      machine.setTasks('items', [{ title }]);
      expect(machine.getStatus().instructions).toBe(`Do ${title}![]`);
    },
  );
});
