import { describe, expect, test } from 'vitest';
import { WorkflowStateMachine } from '../../../../src/templates/machine/machine.ts';
import { action, aTemplate, loop, restarted, started, sub } from '../../../support/templates.ts';

const three = aTemplate([action('plan'), action('build'), action('ship')]);
describe('starting', () => {
  test('begins the first step, with nothing made and nothing asked for', () => {
    expect(started(three).getState()).toEqual({
      status: 'running',
      step: 'plan',
      stepType: 'action',
      tasks: {},
      outputs: {},
      artefacts: {},
      contextActionExecuted: false,
    });
  });

  test('a second time changes nothing', () => {
    const machine = new WorkflowStateMachine(three);
    machine.start('first');
    machine.advance();
    const before = machine.getState();
    machine.start('second');
    expect(machine.getState()).toEqual(before);
    const again = restarted(machine);
    again.start('third');
    expect(again.getState()).toEqual(before);
  });

  test.each([
    ['  log in \n', 'log in'],
    ['a\u0000b\u001b[31mc\u202Ed', 'ab[31mcd'],
    ['half \uD83D of one', 'half  of one'],
    [' \n\u0007 ', undefined],
  ])('keeps a summary whole, in one line: %j', (given, kept) => {
    const machine = new WorkflowStateMachine(three);
    machine.start(given);
    expect(machine.getState().summary).toBe(kept);
    expect(Object.hasOwn(machine.getState(), 'summary')).toBe(kept !== undefined);
  });
});

describe('artefacts', () => {
  const declaring = aTemplate(
    [action('plan', { artefacts: ['plan.md'] }), loop('items', { artefacts: ['log.md'] })],
    { loops: { items: [sub('write', { on_fail: 'skip' })] } },
  );

  test('of a finished step are those it declares and those it was given, once each', () => {
    const machine = started(declaring);
    expect(machine.getState()).toMatchObject({
      artefacts: {},
      currentStepArtefacts: ['plan.md'],
    });
    expect(machine.getStatus().artefacts).toEqual({ plan: ['plan.md'] });
    machine.advance(undefined, [' notes.md', 'notes.md', 'plan.md', '']);
    expect(machine.getState().artefacts['plan']?.toSorted()).toEqual(['notes.md', 'plan.md']);
  });

  test('of the present step grow with every part of it', () => {
    const machine = started(declaring);
    machine.advance();
    machine.setTasks('items', [{ title: 'A' }, { title: 'B' }]);
    machine.advance(undefined, ['a.ts']);
    expect(machine.getState()).toMatchObject({
      artefacts: { plan: ['plan.md'], items: ['a.ts'] },
      currentStepArtefacts: ['log.md', 'a.ts'],
    });
    expect(machine.getStatus().artefacts['items']?.toSorted()).toEqual(['a.ts', 'log.md']);
    machine.advance(undefined, ['b.ts']);
    expect(machine.getState().artefacts['items']).toEqual(['a.ts', 'b.ts', 'log.md']);
    expect(Object.keys(machine.getState())).not.toContain('currentStepArtefacts');
  });
});

test('steps may have the names of members that every object has', () => {
  const machine = started(
    aTemplate([action('constructor'), loop('__proto__'), action('toString')], {
      loops: Object.fromEntries([['__proto__', [sub('valueOf')]]]),
    }),
  );
  machine.advance('one', ['x']);
  machine.setTasks('__proto__', [{ id: 'constructor', title: 'A' }]);
  const again = restarted(machine);
  again.advance('two');
  again.advance('three');
  expect(again.getState().status).toBe('complete');
  expect(Object.entries(again.getState().outputs)).toEqual([
    ['constructor', 'one'],
    ['__proto__.constructor.valueOf', 'two'],
    ['toString', 'three'],
  ]);
  expect(Object.keys(again.getState().tasks)).toEqual(['__proto__']);
});

test('neither a hundred steps nor thousands of tasks make a move slow', () => {
  const loops = { items: [sub('do')] };
  const steps = Array.from({ length: 100 }, (_, i) => loop(`s${i}`, { loop: 'items' }));
  const machine = started(aTemplate([...steps, action('end')], { loops }));
  machine.setTasks(
    's0',
    Array.from({ length: 5_000 }, (_, i) => ({ title: `Task ${i}` })),
  );
  for (let i = 0; i < 50; i += 1) machine.advance();
  expect(machine.getStatus().progress).toMatchObject({ completedTasks: 50, totalSteps: 101 });

  const passing = started(aTemplate([action('first'), ...steps, action('end')], { loops }));
  for (const { id } of steps) passing.setTasks(id, []);
  passing.advance();
  expect(passing.getState().step).toBe('end');
});
