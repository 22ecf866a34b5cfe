import { expect, it } from 'vitest';
import { phaseDurations, phaseSince } from '../../../src/state/phase-times.ts';
import { aPhase } from '../../support/runs.ts';

const at = (minute: number): string => `2025-06-01T12:${String(minute).padStart(2, '0')}:00.000Z`;
const inPhase = (current: number) => ({ phase: aPhase({ current }) });

it('a phase began when the run entered it, whatever happened in it since', () => {
  const events = [
    { at: at(1), event: 'started', phase: { current: 1 } },
    { at: at(5), event: 'advanced', phase: { current: 2 } },
    { at: at(6), event: 'restored' },
    { at: at(7), event: 'failed', phase: { current: 2 } },
  ];
  expect(phaseSince(inPhase(2), events)).toBe(at(5));
});

it('a phase that was left and entered again began the second time', () => {
  const events = [
    { at: at(1), event: 'started', phase: { current: 1 } },
    { at: at(2), event: 'advanced', phase: { current: 2 } },
    { at: at(3), event: 'updated', changes: { phase: '1/3' } },
    { at: at(4), event: 'advanced', phase: { current: 2 } },
  ];
  expect(phaseSince(inPhase(2), events)).toBe(at(4));
  expect(phaseSince(inPhase(1), events.slice(0, 3))).toBe(at(3));
  const minutes = [...phaseDurations(events, Date.parse(at(9)))].map(([n, ms]) => [n, ms / 60_000]);
  expect(minutes).toEqual([
    [1, 2],
    [2, 6],
  ]);
});

it('a step that failed and was skipped began the next one', () => {
  const events = [
    { at: at(1), event: 'started', phase: { current: 1 } },
    { at: at(2), event: 'failed', phase: { current: 1 }, outcome: 'skip' },
  ];
  expect(phaseSince(inPhase(2), events)).toBe(at(2));
});

it('nothing is known of a run without a journal', () => {
  expect(phaseSince(inPhase(2), [])).toBeNull();
});
