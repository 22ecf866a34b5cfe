import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Commits, Machine, makeHub, WHOLE } from '../../support/machines.ts';
import { repetitions } from '../../support/repetitions.ts';
import { aState } from '../../support/runs.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import {
  defectsOf,
  sharedState,
  simulateLife,
} from '../../support/simulation.ts';

const MACHINES = ['aaaaaaaa', 'bbbbbbbb', 'cccccccc'];

it('a decision is told once on each machine, even if merges cross or a sync is killed after it', () => {
  const commits = new Commits();
  const hub = makeHub();
  const machines = MACHINES.map((name) => new Machine(name, commits, hub));
  const [a, b, c] = machines;
  if (a === undefined || b === undefined || c === undefined)
    throw new Error('there are machines');
  let seconds = 0;
  const at = (): string =>
    new Date(Date.UTC(2025, 0, 1, 0, 0, (seconds += 1))).toISOString();
  const whole = (): void => {
    for (const one of [...machines, ...machines, ...machines]) {
      one.sync(at(), WHOLE);
      one.tell();
    }
  };
  a.start(at(), aState());
  whole();
  for (const _ of [1, 2]) {
    a.edit(
      at(),
      (state) => ({ ...state, context: { ...state.context, owner: 'ann' } }),
      'updated',
    );
    b.edit(
      at(),
      (state) => ({ ...state, context: { ...state.context, other: 1 } }),
      'updated',
    );
    c.edit(
      at(),
      (state) => ({ ...state, context: { ...state.context, owner: 'cid' } }),
      'updated',
    );
    // B and c merge what they know; neither is heard by the other, and c is killed once its state file is written.
    a.sync(at(), WHOLE);
    b.sync(at(), WHOLE - 2);
    c.sync(at(), WHOLE - 2);
    c.tell();
    whole();
    const decision = { field: 'context.owner', kept: 'cid', other: 'ann' };
    for (const one of machines) expect(one.told.splice(0)).toEqual([decision]);
    a.edit(at(), (state) => ({ ...state, context: {} }), 'updated');
    whole();
  }
});

/** Rounds in the life of one run; in each, all five machines do something. */
const ROUNDS = 25;
const LIVES = repetitions(40);

it(`${LIVES * ROUNDS} rounds with edits, takeovers, ends, reopenings, days that pass and lost connections: all agree, nothing is lost, and syncing again changes nothing`, () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const life = simulateLife(seededRandom(seed), ROUNDS);
      expect(defectsOf(life)).toEqual([]);
      const { tracking } = life.hub;
      const states = life.machines.map(sharedState);
      for (const machine of life.machines)
        machine.sync('2030-01-01T00:00:00.000Z', WHOLE);
      expect(life.hub.tracking).toBe(tracking);
      expect(life.machines.map(sharedState)).toEqual(states);
    }),
    // A smaller seed is not a simpler life.
    { numRuns: LIVES, endOnFailure: true },
  );
});
