import { expect, test } from 'vitest';
import type { ReadingEntry } from '../../../src/reading/reading-list.ts';
import { pendingReading } from '../../../src/reading/pending-reading.ts';
import { newPendingReads } from '../../../src/reading/pending-reads.ts';

const pending = newPendingReads(['@a.md', '@b.md'], 0);
const reading: ReadingEntry[] = [
  { path: '@a.md', state: 'unread' },
  { path: '@b.md', state: 'in_context' },
];

test('a reminder is announced until it was given', () => {
  expect(pendingReading(pending, reading, 'remind')).toEqual({
    files: ['@a.md'],
    reminder: true,
    refusals_left: 0,
  });
  expect(pendingReading({ ...pending, reminded: true }, reading, 'remind')).toBeNull();
});

test('with block, refusals are announced until the limit is reached', () => {
  const told = { ...pending, reminded: true, refusals: 3 };
  expect(pendingReading(told, reading, 'block')).toMatchObject({
    reminder: false,
    refusals_left: 2,
  });
  expect(pendingReading({ ...told, refusals: 5 }, reading, 'block')).toBeNull();
});

test('nothing is announced if all was read, nothing was restored or nothing is enforced', () => {
  expect(pendingReading(pending, reading.slice(1), 'block')).toBeNull();
  expect(pendingReading(undefined, reading, 'block')).toBeNull();
  expect(pendingReading(pending, reading, 'off')).toBeNull();
});
