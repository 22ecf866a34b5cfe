import { expect, it } from 'vitest';
import { OneTimeCode } from '../../../../src/ui/server/one-time-code.ts';

const NOW = new Date('2025-06-01T12:00:00Z');
const later = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1_000);

it('works once', () => {
  const code = new OneTimeCode();
  const issued = code.issue(NOW);
  expect(code.redeem('wrong', NOW)).toBe(false);
  expect(code.redeem(issued, NOW)).toBe(true);
  expect(code.redeem(issued, NOW)).toBe(false);
});

it('works only soon after it was issued', () => {
  const code = new OneTimeCode();
  const issued = code.issue(NOW);
  expect(code.redeem(issued, later(121))).toBe(false);
  expect(code.redeem(issued, later(119))).toBe(true);
});

it('nothing works before one was issued', () => {
  expect(new OneTimeCode().redeem('', NOW)).toBe(false);
});

it('is different each time', () => {
  const code = new OneTimeCode();
  const first = code.issue(NOW);
  expect(code.issue(NOW)).not.toBe(first);
  expect(code.redeem(first, NOW)).toBe(false);
});
