import { describe, expect, test } from 'vitest';
import {
  addMessage,
  messagesFor,
  settleCompaction,
  markCompacting,
  parseHookState,
  isDuplicateCall,
  isGuidanceDue,
  clearDue,
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

test('a session is kept the last five messages, for two weeks', () => {
  let memory = empty;
  for (let at = now; at < now + 7; at += 1) memory = addMessage(memory, 's', { at, text: 'x' });
  expect(messagesFor(memory, 's').map(({ at }) => at - now)).toEqual([2, 3, 4, 5, 6]);
  const twoWeeks = now + 6 + 14 * 24 * 3_600_000;
  expect(messagesFor(recordCall(memory, 'x', twoWeeks - 1), 's')).toHaveLength(5);
  expect(messagesFor(recordCall(memory, 'x', twoWeeks), 's')).toEqual([]);
});

test('what is damaged in it is passed over', () => {
  expect(
    parseHookState({ calls: { a: now, b: 'x' }, compactions: { s: 3 }, receipts: 'x' }),
  ).toEqual({
    calls: { a: now },
    compactions: {},
    messages: {},
    notices: [],
    receipts: {},
  });
  for (const damaged of [null, [], 'x', 7]) expect(parseHookState(damaged)).toEqual(empty);
});

test('guidance that was given at a prompt is not due again, also while a compaction is under way', () => {
  const due = settleCompaction(empty, 's', now);
  for (const state of [due, markCompacting(due, 's', now)]) {
    expect(isGuidanceDue(state, 's')).toBe(true);
    expect(isGuidanceDue(clearDue(state, 's'), 's')).toBe(false);
  }
});

test('a session named like a part of every object is one like any other', () => {
  const name = '__proto__';
  expect(isGuidanceDue(empty, name)).toBe(false);
  const stored = JSON.stringify(settleCompaction(empty, name, now));
  expect(isGuidanceDue(parseHookState(JSON.parse(stored)), name)).toBe(true);
});
