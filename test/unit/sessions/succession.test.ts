import { describe, expect, test } from 'vitest';
import { hookMemoryFrom } from '../../../src/sessions/hook-memory.ts';
import {
  successionFrom,
  successorOf,
  withArrival,
  withCleared,
  withReturn,
} from '../../../src/sessions/succession.ts';
import { aRun, heldBy } from '../../support/runs.ts';

const now = Date.parse('2025-06-01T12:00:00Z');
const empty = successionFrom(undefined);
const ended = withCleared(empty, 'before', '77', now);

describe('the session after a /clear stands for the one before', () => {
  test('whether or not that held a run', () => {
    const memory = withArrival(ended, 'after', '77', now + 1_000);
    expect(successorOf('before', [], memory)).toBe('after');
    expect(successorOf('after', [], memory)).toBe('after');
    expect(memory.cleared).toEqual({});
  });

  test('also over several, some of which handed over a run', () => {
    const first = withArrival(ended, 'second', '77', now);
    const last = withArrival(withCleared(first, 'third', '77', now), 'fourth', '77', now);
    const runs = [aRun(heldBy('second', { handed_to: 'third' }))];
    expect(successorOf('before', runs, last)).toBe('fourth');
  });

  test('only within 60 seconds and in the same process, where both tell theirs', () => {
    expect(withArrival(ended, 'after', '77', now + 60_001)).toBe(ended);
    expect(withArrival(ended, 'after', '78', now)).toBe(ended);
    expect(successorOf('before', [], withArrival(ended, 'after', undefined, now))).toBe('after');
  });

  test('not where two could be meant', () => {
    const both = withCleared(ended, 'other', undefined, now);
    expect(withArrival(both, 'after', '77', now)).toBe(both);
  });

  test('not any more once that is opened again', () => {
    const memory = withReturn(withArrival(ended, 'after', '77', now), 'before');
    expect(successorOf('before', [], memory)).toBe('before');
    expect(withReturn(memory, 'toString')).toBe(memory);
  });

  test('and a circle ends', () => {
    const circle = {
      successors: { a: { at: now, session: 'b' }, b: { at: now, session: 'a' } },
    };
    expect(['a', 'b']).toContain(successorOf('a', [], circle));
  });
});

test('what is old is forgotten, and what is damaged is passed over', () => {
  const memory = withArrival(ended, 'after', '77', now);
  const week = 7 * 24 * 3_600_000;
  const later = withCleared(memory, 'x', undefined, now + 2 * week);
  expect(withArrival(later, 'y', undefined, now + 2 * week).successors).toEqual({
    x: { at: now + 2 * week, session: 'y' },
  });
  expect(
    hookMemoryFrom({ cleared: { a: 3, b: { at: 1, pid: 2 } }, successors: { c: { at: 1 } } }),
  ).toMatchObject({ cleared: { b: { at: 1 } }, successors: {} });
});
