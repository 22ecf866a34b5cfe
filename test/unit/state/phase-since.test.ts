import { expect, it } from 'vitest';
import { phaseDurations, phaseSince } from '../../../src/state/phase-times.ts';
import { aPhase } from '../../support/runs.ts';

const at = (minute: number): string =>
  `2025-06-01T12:${String(minute).padStart(2, '0')}:00.000Z`;
const EVENTS = [
  { at: at(1), event: 'started', phase: { current: 1 } },
  { at: at(2), event: 'advanced', phase: { current: 2 } },
  { at: at(3), event: 'updated', changes: { phase: '1/3' } },
  { at: at(4), event: 'advanced', phase: { current: 2 } },
  { at: at(5), event: 'restored' },
  { at: at(6), event: 'failed', phase: { current: 2 } },
  { at: at(7), event: 'failed', phase: { current: 2 }, outcome: 'skip' },
];

it.each([
  ['when the run entered it', 1, 3, at(3)],
  ['the second time, if it was left and entered again', 2, 4, at(4)],
  ['then, whatever happened in it since', 2, 6, at(4)],
  ['when the step before it failed and was skipped', 3, 7, at(7)],
  ['at no known time without a journal', 2, 0, null],
])('a phase began %s', (_when, current, count, since) => {
  expect(
    phaseSince({ phase: aPhase({ current }) }, EVENTS.slice(0, count)),
  ).toBe(since);
});

it('the times of a phase that was entered twice are added', () => {
  const lasted = [...phaseDurations(EVENTS.slice(0, 4), Date.parse(at(9)))];
  expect(lasted.map(([number, ms]) => [number, ms / 60_000])).toEqual([
    [1, 2],
    [2, 6],
  ]);
});
