import { describe, expect, test } from 'vitest';
import {
  afterCompaction,
  beforeCompaction,
  hookMemoryFrom,
  isRepeated,
  withCall,
  withRestored,
} from '../../../src/sessions/hook-memory.ts';

const now = Date.parse('2025-06-01T12:00:00Z');
const empty = hookMemoryFrom(undefined);

describe('the same hook installed twice', () => {
  const once = withCall(empty, 'session/PreCompact', now);

  test('the second of two calls within two seconds is a repetition', () => {
    expect(isRepeated(once, 'session/PreCompact', now + 1_999)).toBe(true);
    expect(isRepeated(once, 'session/PreCompact', now + 2_000)).toBe(false);
  });

  test('another call is none, nor one named like a part of every object', () => {
    expect(isRepeated(once, 'session/SessionEnd', now)).toBe(false);
    expect(isRepeated(empty, 'toString', now)).toBe(false);
  });
});

describe('the guidance of a compaction', () => {
  test('is due where its SessionStart never came', () => {
    expect(afterCompaction(empty, 's', now).due).toEqual({ s: now });
  });

  test('is not due where it did', () => {
    const restored = withRestored(empty, 's', now);
    expect(afterCompaction(restored, 's', now).due).toEqual({});
  });

  test('of the next compaction is due again', () => {
    const first = afterCompaction(withRestored(empty, 's', now), 's', now);
    expect(afterCompaction(first, 's', now).due).toEqual({ s: now });
  });

  test('that was given late is no longer due', () => {
    const due = afterCompaction(empty, 's', now);
    expect(withRestored(due, 's', now).due).toEqual({});
  });

  test('is not due a second time where the next compaction brings it', () => {
    const missed = afterCompaction(beforeCompaction(empty, 's', now), 's', now);
    const restored = withRestored(beforeCompaction(missed, 's', now), 's', now);
    expect(afterCompaction(restored, 's', now).due).toEqual({});
  });

  test('stays due where a compaction begins and never comes', () => {
    const missed = afterCompaction(empty, 's', now);
    expect(beforeCompaction(missed, 's', now).due).toEqual({ s: now });
  });

  test('that came after its PostCompact says nothing of the next compaction', () => {
    const late = withRestored(afterCompaction(empty, 's', now), 's', now);
    expect(afterCompaction(late, 's', now).due).toEqual({ s: now });
  });

  test('of one session is not another one’s', () => {
    const due = afterCompaction(empty, 's', now);
    expect(withRestored(due, 'other', now).due).toEqual({ s: now });
  });

  test('is forgotten after 12 hours', () => {
    const due = afterCompaction(empty, 's', now);
    const later = now + 12 * 3_600_000;
    expect(withCall(due, 'x', later - 1).due).toEqual({ s: now });
    expect(withCall(due, 'x', later).due).toEqual({});
  });
});

test('the memory stays small', () => {
  let memory = empty;
  for (let index = 0; index < 300; index += 1) memory = withCall(memory, `call ${index}`, now);
  expect(Object.keys(memory.calls)).toHaveLength(200);
  expect(isRepeated(memory, 'call 299', now)).toBe(true);
});

test('what is damaged in it is passed over', () => {
  expect(
    hookMemoryFrom({ calls: { a: now, b: 'x' }, restored: 3, due: null, receipts: 'x' }),
  ).toEqual({
    calls: { a: now },
    compacting: {},
    restored: {},
    due: {},
    receipts: {},
  });
  for (const damaged of [null, [], 'x', 7]) expect(hookMemoryFrom(damaged)).toEqual(empty);
});
