import { expect, test } from 'vitest';
import type { ReadingEntry } from '../../../src/reading/reading-list.ts';
import { pendingReading } from '../../../src/reading/pending-reading.ts';
import { newPendingReads } from '../../../src/reading/pending-reads.ts';

const pending = newPendingReads(['@a.md', '@b.md'], 0);
const reading: ReadingEntry[] = [
  { path: '@a.md', state: 'unread' },
  { path: '@b.md', state: 'in_context' },
];

test('a reminder is to come until it was given', () => {
  expect(pendingReading(pending, reading, 'remind')).toEqual({
    files: ['@a.md'],
    reminder: true,
    refusals_left: 0,
  });
  expect(pendingReading({ ...pending, reminded: true }, reading, 'remind')).toBeNull();
});

test('where reading is enforced by blocking, refusals are to come until the session is let go', () => {
  const told = { ...pending, reminded: true, refusals: 3 };
  expect(pendingReading(told, reading, 'block')).toMatchObject({
    reminder: false,
    refusals_left: 2,
  });
  expect(pendingReading({ ...told, refusals: 5 }, reading, 'block')).toBeNull();
});

test('nothing is to come where all was read, nothing was restored or nothing is enforced', () => {
  expect(pendingReading(pending, reading.slice(1), 'block')).toBeNull();
  expect(pendingReading(undefined, reading, 'block')).toBeNull();
  expect(pendingReading(pending, reading, 'off')).toBeNull();
});
