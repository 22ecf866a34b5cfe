import { describe, expect, test } from 'vitest';
import { gatesDue } from '../../../../src/templates/machine/gates.ts';
import { action, aTemplate, loop, ralph, started, sub } from '../../../support/templates.ts';
import { saying } from '../../../support/failures.ts';

describe('the gates that a move has to pass', () => {
  test('are those of the step', () => {
    const machine = started(aTemplate([action('plan', { gate: 'npm test' }), action('end')]));
    expect(gatesDue(machine)).toEqual(['npm test']);
    machine.advance();
    expect(gatesDue(machine)).toEqual([]);
  });

  test('are passed at every iteration of a ralph step', () => {
    const machine = started(aTemplate([ralph('polish', 2, { gate: 'npm test' })]));
    expect(gatesDue(machine)).toEqual(['npm test']);
    machine.advance();
    expect(gatesDue(machine)).toEqual(['npm test']);
  });

  test('are those of the sub-step, and that of the loop only where the move leaves it', () => {
    const template = aTemplate([loop('items', { gate: 'make all' }), action('end')], {
      loops: { items: [sub('write', { gate: 'make one' }), sub('review')] },
    });
    const machine = started(template);
    machine.setTasks('items', [{ title: 'A' }, { title: 'B' }]);
    const due = ['A write', 'A review', 'B write', 'B review'].map(() => {
      const commands = gatesDue(machine);
      machine.advance();
      return commands;
    });
    expect(due).toEqual([['make one'], [], ['make one'], ['make all']]);
  });

  test('are passed before the run is complete', () => {
    const template = aTemplate([loop('items', { gate: 'make all' })], {
      loops: { items: [sub('write', { gate: 'make one' })] },
    });
    const machine = started(template);
    machine.setTasks('items', [{ title: 'A' }]);
    expect(gatesDue(machine)).toEqual(['make one', 'make all']);
  });

  test('are not run for a loop that waits: it does not move', () => {
    const template = aTemplate([loop('items', { gate: 'make all' })], {
      loops: { items: [sub('write')] },
    });
    expect(() => gatesDue(started(template))).toThrow(saying('needs the tasks of "items"'));
  });

  test('are looked up without moving the run', () => {
    const machine = started(aTemplate([action('plan', { gate: 'true' }), action('end')]));
    const before = machine.getState();
    gatesDue(machine);
    expect(machine.getState()).toEqual(before);
  });
});
