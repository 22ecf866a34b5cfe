import { describe, expect, test } from 'vitest';
import {
  settleCompaction,
  markCompacting,
  parseHookState,
  isDuplicateCall,
  isGuidanceDue,
  isGuidanceGiven,
  clearDue,
  clearRestored,
  serializeHookState,
  recordCall,
  markRestored,
  type HookState,
} from '../../../../src/state/store/hook-state.ts';

const now = Date.parse('2025-06-01T12:00:00Z');
const empty = parseHookState(undefined);

describe('the same hook installed twice', () => {
  const once = recordCall(empty, 'session/PreCompact', now);

  test('the second of two calls within two seconds is a repetition', () => {
    expect(isDuplicateCall(once, 'session/PreCompact', now + 1_999)).toBe(true);
    expect(isDuplicateCall(once, 'session/PreCompact', now + 2_000)).toBe(false);
  });

  test('another call is not a repetition, nor one named like a member of every object', () => {
    expect(isDuplicateCall(once, 'session/SessionEnd', now)).toBe(false);
    expect(isDuplicateCall(empty, 'toString', now)).toBe(false);
  });
});

describe('the guidance of a compaction', () => {
  test('is due where its SessionStart never came', () => {
    expect(isGuidanceDue(settleCompaction(empty, 's', now), 's')).toBe(true);
  });

  test('is not due where it did', () => {
    const restored = markRestored(empty, 's', now);
    expect(isGuidanceDue(settleCompaction(restored, 's', now), 's')).toBe(false);
  });

  test('of the next compaction is due again', () => {
    const first = settleCompaction(markRestored(empty, 's', now), 's', now);
    expect(isGuidanceDue(settleCompaction(first, 's', now), 's')).toBe(true);
  });

  test('that was given late is no longer due', () => {
    const due = settleCompaction(empty, 's', now);
    expect(isGuidanceDue(markRestored(due, 's', now), 's')).toBe(false);
  });

  test('is not due a second time where the next compaction brings it', () => {
    const missed = settleCompaction(markCompacting(empty, 's', now), 's', now);
    const restored = markRestored(markCompacting(missed, 's', now), 's', now);
    expect(isGuidanceDue(settleCompaction(restored, 's', now), 's')).toBe(false);
  });

  test('stays due where a compaction begins and never comes', () => {
    const missed = settleCompaction(empty, 's', now);
    expect(isGuidanceDue(markCompacting(missed, 's', now), 's')).toBe(true);
  });

  test('that came after its PostCompact says nothing of the next compaction', () => {
    const late = markRestored(settleCompaction(empty, 's', now), 's', now);
    expect(isGuidanceDue(settleCompaction(late, 's', now), 's')).toBe(true);
  });

  test('of one session is not another one’s', () => {
    const due = settleCompaction(empty, 's', now);
    expect(isGuidanceDue(markRestored(due, 'other', now), 's')).toBe(true);
  });

  test('is forgotten after 12 hours', () => {
    const due = settleCompaction(empty, 's', now);
    const later = now + 12 * 3_600_000;
    expect(isGuidanceDue(recordCall(due, 'x', later - 1), 's')).toBe(true);
    expect(isGuidanceDue(recordCall(due, 'x', later), 's')).toBe(false);
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
    compactions: {},
    undecided: {},
    notices: [],
    receipts: {},
  });
  for (const damaged of [null, [], 'x', 7]) expect(parseHookState(damaged)).toEqual(empty);
});

describe('the file keeps the form that every version reads', () => {
  const file = (state: HookState): unknown => JSON.parse(serializeHookState(state));

  test('one list of times for each event of a compaction', () => {
    const begun = markCompacting(settleCompaction(empty, 'a', now), 'a', now + 1);
    const restored = markRestored(markCompacting(begun, 'b', now + 2), 'b', now + 3);
    expect(file(settleCompaction(restored, 'c', now + 4))).toMatchObject({
      compacting: { a: now + 1, b: now + 2 },
      restored: { b: now + 3 },
      due: { a: now, c: now + 4 },
    });
  });

  test.each([
    { compacting: {}, restored: {}, due: {} },
    { compacting: { s: 5 }, restored: {}, due: {} },
    { compacting: { s: 5 }, restored: { s: 6 }, due: {} },
    { compacting: {}, restored: { s: 6 }, due: {} },
    { compacting: { s: 5 }, restored: {}, due: { s: 4 } },
    { compacting: {}, restored: {}, due: { s: 4 } },
  ])('and %j is written as it was read', (times) => {
    expect(file(parseHookState(times))).toMatchObject(times);
  });

  test('guidance that is both given and due is given once more', () => {
    for (const compacting of [{}, { s: 5 }]) {
      const state = parseHookState({ compacting, restored: { s: 6 }, due: { s: 6 } });
      expect(isGuidanceDue(state, 's')).toBe(true);
      expect(isGuidanceDue(clearDue(state, 's'), 's')).toBe(false);
    }
  });

  test('a session named like a part of every object is one like any other', () => {
    const name = '__proto__';
    expect(isGuidanceDue(empty, name)).toBe(false);
    expect(isGuidanceDue(parseHookState(file(settleCompaction(empty, name, now))), name)).toBe(
      true,
    );
  });
});

test('a restore whose PostCompact was answered without Node leaves the compaction begun', () => {
  const restored = markRestored(markCompacting(empty, 's', now), 's', now);
  expect(isGuidanceGiven(restored, 's')).toBe(true);
  expect(clearRestored(restored, 's')).toEqual(markCompacting(empty, 's', now));
  expect(clearRestored(markRestored(empty, 's', now), 's')).toEqual(empty);
});
