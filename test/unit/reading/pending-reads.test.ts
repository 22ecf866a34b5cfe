import { describe, expect, test } from 'vitest';
import type { ReadingState } from '../../../src/reading/reading-list.ts';
import {
  isRefusalLimitReached,
  newPendingReads,
  parsePendingReads,
  unreadFiles,
  setPendingReads,
} from '../../../src/reading/pending-reads.ts';

const now = Date.parse('2025-06-01T12:00:00Z');
const pending = newPendingReads(['@a.md', '@b.md'], now);

describe('the pending reads of a session', () => {
  test.each<[ReadingState, boolean]>([
    ['unread', true],
    ['in_context', false],
    ['changed', false],
    ['missing', false],
    ['outside', false],
    ['host', false],
  ])('a file that is %s: %s', (state, isOwed) => {
    expect(unreadFiles(pending, [{ path: '@a.md', state }])).toHaveLength(isOwed ? 1 : 0);
  });

  test('a file that became required after the restore is not pending', () => {
    expect(unreadFiles(pending, [{ path: '@new.md', state: 'unread' }])).toEqual([]);
  });

  test('nothing is pending if nothing was restored', () => {
    expect(unreadFiles(null, [{ path: '@a.md', state: 'unread' }])).toEqual([]);
  });
});

test('changes are refused five times at most', () => {
  expect(isRefusalLimitReached({ ...pending, refusals: 4 })).toBe(false);
  expect(isRefusalLimitReached({ ...pending, refusals: 5 })).toBe(true);
});

describe('the record', () => {
  test('is parsed as it was written', () => {
    const parts = { '@a.md': { digest: 'd', spans: [[1, 2]] } };
    const written: unknown = JSON.parse(JSON.stringify({ ...pending, reminded: true, parts }));
    expect(parsePendingReads(written)).toEqual(written);
  });

  test('is ignored if it is damaged', () => {
    expect(
      parsePendingReads({ at: now, owed: [1, '@a.md'], refusals: 'x', parts: { p: 1 } }),
    ).toEqual({
      ...pending,
      owed: ['@a.md'],
    });
    for (const damaged of [undefined, null, 'x', [], {}, { at: 'x' }, Object.prototype, () => 0])
      expect(parsePendingReads(damaged)).toBeNull();
  });

  test('is bounded in files, sessions and age', () => {
    const many = Array.from({ length: 300 }, (_, index) => `@${index}.md`);
    expect(newPendingReads(many, now).owed).toHaveLength(50);
    expect(newPendingReads([`@${'x'.repeat(5_000)}`], now).owed).toEqual([]);

    let receipts = {};
    for (const session of many) receipts = setPendingReads(receipts, session, pending, now);
    expect(Object.keys(receipts)).toEqual(many.slice(-50));

    const later = now + 12 * 3_600_000;
    expect(Object.keys(setPendingReads(receipts, 's', pending, later - 1))).toHaveLength(50);
    const fresh = newPendingReads([], later);
    expect(setPendingReads({ ...receipts, odd: 3 }, 's', fresh, later)).toEqual({ s: fresh });
  });

  test('of one session can be removed without the others', () => {
    const receipts = { s1: pending, s2: pending };
    expect(setPendingReads(receipts, 's1', null, now)).toEqual({ s2: pending });
  });

  test('of a session with an odd id works like any other', () => {
    const receipts = setPendingReads({}, '__proto__', pending, now);
    expect(Object.keys(receipts)).toEqual(['__proto__']);
  });
});
