import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editDistance } from '../../../src/text/closest-match.ts';

test.each([
  ['deploy', 'deploy', 0],
  ['deploy', 'deplyo', 2],
  ['deploy', 'deploys', 1],
  ['', 'abc', 3],
])('from %j to %j it takes %i', (a, b, slips) => {
  expect(editDistance(a, b)).toBe(slips);
});

test('it is the same in both directions, and never more than the longer word', () => {
  const word = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(word, word, (a, b) => {
      expect(editDistance(a, b)).toBe(editDistance(b, a));
      expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
    }),
  );
});
