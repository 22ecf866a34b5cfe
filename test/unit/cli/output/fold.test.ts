import fc from 'fast-check';
import { expect, it } from 'vitest';
import { foldAround } from '../../../../src/cli/output/fold.ts';
import { repetitions } from '../../../support/repetitions.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1);
const folded = (count: number, current: number): string[] =>
  foldAround(numbers(count), {
    current: current - 1,
    line: String,
    hidden: ({ length }, side) => `${length} ${side}`,
  });

it('a long list is folded around the current entry', () => {
  expect(folded(40, 20)).toEqual([
    '… 16 before',
    ...['17', '18', '19', '20', '21', '22', '23', '24', '25'],
    '… 15 after',
  ]);
});

it('a single entry is shown, because its count would be as long', () => {
  expect(folded(11, 5)).toEqual(numbers(11).map(String));
});

it('nothing is folded in an empty list', () => {
  expect(folded(0, 0)).toEqual([]);
});

it('the current entry is always shown, and what is hidden is counted exactly', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 300 }), (count, at) => {
      const current = Math.min(at, count);
      const lines = folded(count, current);
      expect(lines).toContain(String(current));
      expect(lines.length).toBeLessThanOrEqual(13);
      const hidden = lines
        .filter((line) => line.startsWith('…'))
        .reduce((sum, line) => sum + Number(line.split(' ')[1]), 0);
      expect(hidden + lines.filter((line) => !line.startsWith('…')).length).toBe(count);
    }),
    { numRuns: repetitions(200) },
  );
});
