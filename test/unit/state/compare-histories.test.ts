import { describe, expect, test } from 'vitest';
import {
  compareHistories,
  type RunHistory,
} from '../../../src/state/compare-histories.ts';
import type { JournalEvent } from '../../../src/state/types.ts';
import { aState } from '../../support/runs.ts';

const at = (minute: number): string =>
  `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`;
const event = (name: string, minute: number): JournalEvent => ({
  event: name,
  at: at(minute),
});
const advanced = (minute: number, current: number): JournalEvent => ({
  ...event('advanced', minute),
  phase: { current, total: 9 },
});

const history = (
  current: number,
  events: JournalEvent[],
  revision = events.length,
): RunHistory => ({
  state: aState({
    phase: { current, total: 9, name: `P${current}`, status: 'in_progress' },
    revision,
    updated_at: at(events.length),
  }),
  events,
});

const base = [event('started', 0), advanced(1, 2)];

describe('another copy of a run', () => {
  test('continues the one here if it has all its progress and more, whatever the counters', () => {
    const other = history(3, [...base, advanced(2, 3)], 3);
    expect(compareHistories(history(2, base, 40), other)).toBe('continues');
    expect(compareHistories(other, history(2, base, 40))).toBe('behind');
  });

  test('has diverged if both made progress, whatever the counters', () => {
    const here = history(3, [...base, advanced(2, 3)], 3);
    const other = history(4, [...base, advanced(3, 3), advanced(4, 4)], 40);
    expect(compareHistories(here, other)).toBe('diverged');
    expect(compareHistories(other, here)).toBe('diverged');
  });

  test('may have been held and restored elsewhere: that is not progress', () => {
    const here = history(2, [
      ...base,
      event('released', 3),
      event('session_ended', 4),
    ]);
    const elsewhere = ['imported', 'claimed', 'read', 'held', 'restored'];
    const events = elsewhere.map((name) => event(name, 5));
    const other = history(3, [...base, ...events, advanced(7, 3)]);
    const reading = history(2, [...base, event('read', 3), event('held', 4)]);
    expect(compareHistories(reading, other)).toBe('continues');
    expect(compareHistories(here, other)).toBe('continues');
  });

  test('may have dropped the older half of its journal', () => {
    const long = [...base, advanced(2, 3), advanced(3, 4)];
    const other = history(5, [...long.slice(2), advanced(4, 5)]);
    expect(compareHistories(history(4, long), other)).toBe('continues');
    expect(
      compareHistories(history(4, long.slice(3), 4), history(4, long)),
    ).toBe('same');
    expect(compareHistories(history(2, base), other)).toBe('diverged');
  });

  test('has diverged if the one here was moved by an edit of its file', () => {
    const other = history(3, [...base, advanced(2, 3)]);
    expect(compareHistories(history(7, base), other)).toBe('diverged');
    expect(compareHistories(other, history(7, base))).toBe('diverged');
  });

  test('without a journal is continued by one with a journal, and is the same only with the same content', () => {
    const bare = (current: number, revision: number) =>
      history(current, [], revision);
    expect(compareHistories(bare(2, 1), history(3, base))).toBe('continues');
    expect(compareHistories(history(3, base), bare(2, 9))).toBe('behind');
    expect(compareHistories(bare(2, 1), bare(2, 2))).toBe('same');
    expect(compareHistories(bare(2, 1), bare(3, 2))).toBe('diverged');
  });
});
