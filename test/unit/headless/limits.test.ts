import { describe, expect, it } from 'vitest';
import { turnCost, waitBefore } from '../../../src/headless/limits.ts';
import { parseDuration } from '../../../src/text/relative-time.ts';

describe('limits', () => {
  it.each([
    [0.5, 0.25, 0.25],
    [0.1, 0.2, 0],
    [null, 0, null],
    [undefined, 0, null],
    [0.5, null, null],
  ])(
    'the cost of a turn that ends at %j after %s is what it adds: %s',
    (total, before, cost) => {
      expect(turnCost(total, before)).toBe(cost);
    },
  );

  it('waits grow, are bounded, and end', () => {
    const waits = Array.from({ length: 9 }, (_, tries) =>
      waitBefore('overloaded', tries),
    );
    expect(waits.slice(0, 3)).toEqual([5_000, 15_000, 45_000]);
    expect(Math.max(...waits.map((wait) => wait ?? 0))).toBe(300_000);
    expect(waits.at(-1)).toBeNull();
    expect(waitBefore('crash', 3)).toBeNull();
  });

  it.each([
    ['40s', 40_000],
    ['1.5h', 5_400_000],
    ['2H', 7_200_000],
  ])('%s is a duration', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it.each(['', '5', '0s', '-3m', '3d', '1h30m', 'm', '1e3s', '99999999s'])(
    '%s is not a duration',
    (text) => {
      expect(parseDuration(text)).toBeNull();
    },
  );
});
