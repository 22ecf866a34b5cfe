import { describe, expect, test } from 'vitest';
import {
  action,
  aTemplate,
  loop,
  started,
  sub,
} from '../../support/templates.ts';

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
});

describe('artefacts', () => {
  const declaring = aTemplate(
    [
      action('plan', { artefacts: ['plan.md'] }),
      loop('items', { artefacts: ['log.md'] }),
    ],
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
    expect(machine.getState().artefacts['plan']?.toSorted()).toEqual([
      'notes.md',
      'plan.md',
    ]);
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
    expect(machine.getStatus().artefacts['items']?.toSorted()).toEqual([
      'a.ts',
      'log.md',
    ]);
    machine.advance(undefined, ['b.ts']);
    expect(machine.getState().artefacts['items']).toEqual([
      'a.ts',
      'b.ts',
      'log.md',
    ]);
    expect(Object.keys(machine.getState())).not.toContain(
      'currentStepArtefacts',
    );
  });
});
