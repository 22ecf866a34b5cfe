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
  const events: Record<string, (state: HookState) => HookState> = {
    begins: (state) => markCompacting(state, 's', now),
    restored: (state) => markRestored(state, 's', now),
    ends: (state) => settleCompaction(state, 's', now),
  };
  test.each([
    ['ends', true],
    ['restored ends', false],
    ['restored ends ends', true],
    ['ends restored', false],
    ['begins ends begins restored ends', false],
    ['ends begins', true],
    ['ends restored ends', true],
  ])('after %s, is due: %s', (happened, isDue) => {
    const state = happened.split(' ').reduce((at, name) => events[name]?.(at) ?? at, empty);
    expect(isGuidanceDue(state, 's')).toBe(isDue);
    expect(isGuidanceDue(markRestored(state, 'another', now), 's')).toBe(isDue);
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
