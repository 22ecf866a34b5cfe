import { describe, expect, test } from 'vitest';
import {
  settleCompaction,
  markCompacting,
  parseHookState,
  isDuplicateCall,
  recordCall,
  markRestored,
} from '../../../../src/state/store/hook-state.ts';

const now = Date.parse('2025-06-01T12:00:00Z');
const empty = parseHookState(undefined);

describe('the same hook installed twice', () => {
  const once = recordCall(empty, 'session/PreCompact', now);

  test('the second of two calls within two seconds is a repetition', () => {
    expect(isDuplicateCall(once, 'session/PreCompact', now + 1_999)).toBe(true);
    expect(isDuplicateCall(once, 'session/PreCompact', now + 2_000)).toBe(false);
  });

  test('another call is none, nor one named like a part of every object', () => {
    expect(isDuplicateCall(once, 'session/SessionEnd', now)).toBe(false);
    expect(isDuplicateCall(empty, 'toString', now)).toBe(false);
  });
});

describe('the guidance of a compaction', () => {
  test('is due where its SessionStart never came', () => {
    expect(settleCompaction(empty, 's', now).due).toEqual({ s: now });
  });

  test('is not due where it did', () => {
    const restored = markRestored(empty, 's', now);
    expect(settleCompaction(restored, 's', now).due).toEqual({});
  });

  test('of the next compaction is due again', () => {
    const first = settleCompaction(markRestored(empty, 's', now), 's', now);
    expect(settleCompaction(first, 's', now).due).toEqual({ s: now });
  });

  test('that was given late is no longer due', () => {
    const due = settleCompaction(empty, 's', now);
    expect(markRestored(due, 's', now).due).toEqual({});
  });

  test('is not due a second time where the next compaction brings it', () => {
    const missed = settleCompaction(markCompacting(empty, 's', now), 's', now);
    const restored = markRestored(markCompacting(missed, 's', now), 's', now);
    expect(settleCompaction(restored, 's', now).due).toEqual({});
  });

  test('stays due where a compaction begins and never comes', () => {
    const missed = settleCompaction(empty, 's', now);
    expect(markCompacting(missed, 's', now).due).toEqual({ s: now });
  });

  test('that came after its PostCompact says nothing of the next compaction', () => {
    const late = markRestored(settleCompaction(empty, 's', now), 's', now);
    expect(settleCompaction(late, 's', now).due).toEqual({ s: now });
  });

  test('of one session is not another one’s', () => {
    const due = settleCompaction(empty, 's', now);
    expect(markRestored(due, 'other', now).due).toEqual({ s: now });
  });

  test('is forgotten after 12 hours', () => {
    const due = settleCompaction(empty, 's', now);
    const later = now + 12 * 3_600_000;
    expect(recordCall(due, 'x', later - 1).due).toEqual({ s: now });
    expect(recordCall(due, 'x', later).due).toEqual({});
  });
});

test('the memory stays small', () => {
  let memory = empty;
  for (let index = 0; index < 300; index += 1) memory = recordCall(memory, `call ${index}`, now);
  expect(Object.keys(memory.calls)).toHaveLength(200);
  expect(isDuplicateCall(memory, 'call 299', now)).toBe(true);
});

test('what is damaged in it is passed over', () => {
  expect(
    parseHookState({ calls: { a: now, b: 'x' }, restored: 3, due: null, receipts: 'x' }),
  ).toEqual({
    calls: { a: now },
    compacting: {},
    restored: {},
    due: {},
    undecided: {},
    notices: [],
    receipts: {},
  });
  for (const damaged of [null, [], 'x', 7]) expect(parseHookState(damaged)).toEqual(empty);
});
