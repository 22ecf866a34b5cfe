import { expect, test } from 'vitest';
import { gatesDue } from '../../../src/machine/gates.ts';
import { played, templateOf } from '../../support/templates.ts';
import { saying } from '../../support/failures.ts';

const LOOP = 'items[write#one review]#all end';

test.each([
  ['a#make end', '', ['make']],
  // At every iteration, for every task, and that of a loop only where the move leaves it.
  ['polish:2#make', 'next', ['make']],
  [LOOP, 'tasks:items=A,B', ['one']],
  [LOOP, 'tasks:items=A,B next', []],
  [LOOP, 'tasks:items=A,B next next', ['one']],
  [LOOP, 'tasks:items=A,B next next next', ['all']],
  ['items[write#one]#all', 'tasks:items=A', ['one', 'all']],
])('%s, %s: a move has to pass %j', (line, moves, gates) => {
  const machine = played(templateOf(line), moves);
  const before = machine.getState();
  expect(gatesDue(machine)).toEqual(gates);
  expect(machine.getState()).toEqual(before);
});

test('a loop that waits does not move, so its gate is not run', () => {
  expect(() => gatesDue(played(templateOf(LOOP), ''))).toThrow(
    saying('needs the tasks of "items"'),
  );
});
