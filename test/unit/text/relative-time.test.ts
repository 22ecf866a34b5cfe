import { describe, expect, test } from 'vitest';
import { timeAgo } from '../../../src/text/relative-time.ts';
import { minutesBefore, NOW } from '../../support/runs.ts';

const HOURS = 60;
const DAYS = 24 * HOURS;

describe('how long ago', () => {
  test.each([
    [-5, 'just now'],
    [1, '1 minute ago'],
    [59.9, '59 minutes ago'],
    [1 * HOURS, '1 hour ago'],
    [1 * DAYS - 1, '23 hours ago'],
    [1 * DAYS, 'yesterday'],
    [2 * DAYS, '2 days ago'],
    [30 * DAYS, 'on 2025-05-02'],
  ])('%d minutes: %s', (minutes, words) => {
    const time = minutesBefore(minutes);
    expect(timeAgo(time, NOW)).toBe(words);
    expect(timeAgo(Date.parse(time), NOW)).toBe(words);
  });

  test.each(['', 'last week', Number.NaN])('%j is no time', (time) => {
    expect(timeAgo(time, NOW)).toBe('at an unknown time');
  });
});
