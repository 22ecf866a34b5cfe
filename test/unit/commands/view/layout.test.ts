import fc from 'fast-check';
import { expect, it } from 'vitest';
import { foldAround } from '../../../../src/commands/view/output.ts';
import { repetitions } from '../../../support/repetitions.ts';

it('of a folded list the current entry is shown, and what is hidden is counted exactly', () => {
  const folded = (count: number, current: number): string[] => {
    const entries = Array.from({ length: count }, (_, n) => n + 1);
    return foldAround(
      entries,
      current - 1,
      String,
      ({ length }, side) => `${length} ${side}`,
    );
  };
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 1, max: 300 }),
      (count, at) => {
        const lines = folded(count, Math.min(at, count));
        expect(lines).toContain(String(Math.min(at, count)));
        expect(lines.length).toBeLessThanOrEqual(13);
        const hidden = lines
          .filter((line) => line.startsWith('…'))
          .reduce((sum, line) => sum + Number(line.split(' ')[1]), 0);
        expect(
          hidden + lines.filter((line) => !line.startsWith('…')).length,
        ).toBe(count);
      },
    ),
    { numRuns: repetitions(200) },
  );
});
