import { afterAll, expect, test } from 'vitest';
import { defectsOf, simulateLife } from '../support/simulation.ts';
import { publish } from './support/figures.ts';
import { makeRandom } from './support/random.ts';
import { scaled } from './support/scale.ts';

const ROUNDS = scaled(50_000);
/** Short lives have many first meetings, long ones many merges that cross. */
const LIFE_LENGTHS = [5, 20, 60, 120];

const random = makeRandom();
const counts = {
  rounds: 0,
  runs: 0,
  commits: 0,
  lost_connections: 0,
  ends_and_reopenings: 0,
  fresh_clones: 0,
};

test(`${ROUNDS} rounds of five machines that sync: all agree after each run, nothing is lost`, () => {
  while (counts.rounds < ROUNDS) {
    const length = Math.min(random.pick(LIFE_LENGTHS), ROUNDS - counts.rounds);
    const life = simulateLife(random, length);
    expect(defectsOf(life), `seed ${random.seed}, run ${counts.runs}`).toEqual(
      [],
    );
    counts.rounds += length;
    counts.runs += 1;
    counts.commits += life.commits.count;
    counts.lost_connections += life.counts.losses;
    counts.ends_and_reopenings += life.counts.ends;
    counts.fresh_clones += life.counts.replaced;
  }
});

afterAll(() => publish('machines', { ...counts, seed: random.seed }));
