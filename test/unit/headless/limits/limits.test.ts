import { describe, expect, it } from 'vitest';
import {
  budgetLeft,
  formatDuration,
  isStuck,
  NOTHING_SPENT,
  parseDuration,
  turnCost,
  usedUp,
  waitBefore,
  waitForReset,
  withTurn,
} from '../../../../src/headless/limits/limits.ts';

const limits = { costUsd: 2, timeMs: 1_000, stepTimeMs: null };

describe('limits', () => {
  it('a budget is used up when it is reached, and what is left is never negative', () => {
    const spent = withTurn(NOTHING_SPENT, { costUsd: 1.5, tokens: 10 });
    expect(budgetLeft(limits, spent)).toBe(0.5);
    expect(usedUp(limits, spent, 0)).toBeNull();
    const more = withTurn(spent, { costUsd: 0.7, tokens: 10 });
    expect(usedUp(limits, more, 0)).toBe('budget');
    expect(budgetLeft(limits, more)).toBe(0);
    expect(usedUp(limits, spent, 1_000)).toBe('time');
    expect(usedUp({ costUsd: null, timeMs: null, stepTimeMs: null }, more, 1e12)).toBeNull();
  });

  it('a cost that is not known once stays incomplete', () => {
    const spent = withTurn(withTurn(NOTHING_SPENT, { costUsd: null, tokens: 1 }), {
      costUsd: 1,
      tokens: 1,
    });
    expect(spent).toEqual({ costUsd: 1, isCostComplete: false, tokens: 2, turns: 2 });
  });

  it('the cost of a turn is what it adds to the total of its process', () => {
    expect(turnCost({ totalCost: 0.5, turnCost: null }, 0.2)).toBeCloseTo(0.3);
    expect(turnCost({ totalCost: 0.5, turnCost: 0.1 }, 0)).toBe(0.1);
    expect(turnCost({ totalCost: 0.1, turnCost: null }, 0.2)).toBe(0);
    expect(turnCost({ totalCost: null, turnCost: null }, 0)).toBeNull();
    expect(turnCost(null, 0)).toBeNull();
    expect(turnCost({ totalCost: 0.5, turnCost: null }, null)).toBeNull();
    expect(turnCost({ totalCost: 0.5, turnCost: 0.1 }, null)).toBe(0.1);
  });

  it('waits grow, are bounded, and end', () => {
    const waits = Array.from({ length: 9 }, (_, tries) => waitBefore('overloaded', tries));
    expect(waits.slice(0, 3)).toEqual([5_000, 15_000, 45_000]);
    expect(Math.max(...waits.map((wait) => wait ?? 0))).toBe(300_000);
    expect(waits.at(-1)).toBeNull();
    expect(waitBefore('crash', 3)).toBeNull();
  });

  it('waits for a reset until shortly after it', () => {
    expect(waitForReset(10_000, 4_000, 500)).toBe(6_500);
    expect(waitForReset(1_000, 4_000, 500)).toBe(500);
    expect(waitForReset(null, 0)).toBeGreaterThan(60_000);
  });

  it('three equal marks in a row are a run that does not move', () => {
    expect(isStuck(['a', 'a'])).toBe(false);
    expect(isStuck(['b', 'a', 'a'])).toBe(false);
    expect(isStuck(['b', 'a', 'a', 'a'])).toBe(true);
  });

  it.each([
    ['40s', 40_000],
    ['15m', 900_000],
    ['2h', 7_200_000],
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

  it.each([
    [400, '0 s'],
    [59_400, '59 s'],
    [60_000, '1 min'],
    [61_000, '1 min 1 s'],
    [7_500_000, '2 h 5 min'],
  ])('%d ms is %s', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });
});
