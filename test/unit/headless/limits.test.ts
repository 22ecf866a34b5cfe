import { describe, expect, it } from 'vitest';
import {
  NOTHING_SPENT,
  turnCost,
  usedUp,
  waitBefore,
  waitForReset,
  withTurn,
} from '../../../src/headless/limits.ts';
import { formatDuration, parseDuration } from '../../../src/text/relative-time.ts';

const limits = { maxCost: 2, maxTime: 1_000, stepTime: undefined };

const NO_LIMITS = { maxCost: undefined, maxTime: undefined, stepTime: undefined };

describe('limits', () => {
  it.each([
    [1.9, 999, null],
    [2, 0, 'budget'],
    [0, 1_000, 'time'],
  ])('after $%d and %d ms, what is used up is %s', (costUsd, elapsed, over) => {
    const spent = { ...NOTHING_SPENT, costUsd };
    expect(usedUp(limits, spent, elapsed)).toBe(over);
    expect(usedUp(NO_LIMITS, spent, elapsed)).toBeNull();
  });

  it('a cost that is not known once stays incomplete', () => {
    const unknown = withTurn(NOTHING_SPENT, { costUsd: null, tokens: 1, turns: 2 });
    const spent = { costUsd: 1, isCostComplete: false, tokens: 2, turns: 3 };
    expect(withTurn(unknown, { costUsd: 1, tokens: 1, turns: 1 })).toEqual(spent);
  });

  it.each([
    [{ totalCost: 0.5, turnCost: null }, 0.25, 0.25],
    [{ totalCost: 0.5, turnCost: 0.1 }, 0, 0.1],
    [{ totalCost: 0.1, turnCost: null }, 0.2, 0],
    [{ totalCost: null, turnCost: null }, 0, null],
    [null, 0, null],
    [{ totalCost: 0.5, turnCost: null }, null, null],
    [{ totalCost: 0.5, turnCost: 0.1 }, null, 0.1],
  ])('the cost of %j after %s is what it adds to its process: %s', (result, before, cost) => {
    expect(turnCost(result, before)).toBe(cost);
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
