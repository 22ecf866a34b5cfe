import { describe, expect, test } from 'vitest';
import { SOURCE_RECORDS_FILE } from '../../../../src/state/paths.ts';
import { makeProject } from '../../../support/project.ts';
import { recordCall } from '../../../../src/state/store/answered-calls.ts';
import {
  settleCompaction,
  markCompacting,
  isGuidanceDue,
  markRestored,
} from '../../../../src/state/store/compactions.ts';
import {
  parseHookState,
  type HookState,
} from '../../../../src/state/store/hook-state.ts';
import {
  addMessage,
  messagesFor,
} from '../../../../src/state/store/messages.ts';
import { readSourceRecords } from '../../../../src/state/store/source-records-file.ts';

const now = Date.parse('2025-06-01T12:00:00Z');
const empty = parseHookState(undefined);

describe('the guidance of a compaction', () => {
  const events: Record<string, (state: HookState) => HookState> = {
    begins: (state) => markCompacting(state, 's', now, false),
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
    ['restored begins ends', true],
    ['ends restored ends', true],
  ])('after %s, is due: %s', (happened, isDue) => {
    const state = happened
      .split(' ')
      .reduce((at, name) => events[name]?.(at) ?? at, empty);
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

test('a session is kept the last five messages, for two weeks', () => {
  let memory = empty;
  for (let at = now; at < now + 7; at += 1)
    memory = addMessage(memory, 's', { at, text: 'x' });
  expect(messagesFor(memory, 's').map(({ at }) => at - now)).toEqual([
    2, 3, 4, 5, 6,
  ]);
  const twoWeeks = now + 6 + 14 * 24 * 3_600_000;
  expect(messagesFor(recordCall(memory, 'x', twoWeeks - 1), 's')).toHaveLength(
    5,
  );
  expect(messagesFor(recordCall(memory, 'x', twoWeeks), 's')).toEqual([]);
});

test('an id from a state file that is longer than any session has gets no message', () => {
  const message = { at: now, text: 'x' };
  expect(addMessage(empty, 's'.repeat(4_097), message)).toEqual(empty);
  expect(addMessage(empty, 's'.repeat(4_096), message)).not.toEqual(empty);
});

test('what is damaged in it is passed over', () => {
  expect(
    parseHookState({
      calls: { a: now, b: 'x' },
      compactions: { s: 3 },
      receipts: 'x',
    }),
  ).toEqual({
    calls: { a: now },
    compactions: {},
    messages: {},
    notices: [],
    receipts: {},
  });
  for (const damaged of [null, [], 'x', 7])
    expect(parseHookState(damaged)).toEqual(empty);
});

test('a session named like a part of every object is one like any other', () => {
  const name = '__proto__';
  expect(isGuidanceDue(empty, name)).toBe(false);
  const stored = JSON.stringify(settleCompaction(empty, name, now));
  expect(isGuidanceDue(parseHookState(JSON.parse(stored)), name)).toBe(true);
});

test('of the records of sources, one whose run cannot be named in a command counts as absent', () => {
  const ids = [
    'shop-20260105_100000',
    'größe-1',
    'x; curl y',
    'a `b`',
    'a\u3164b',
    '--force',
    '../x',
    7,
  ];
  const said = { workflow: 'Shop' };
  const sources = Object.fromEntries(
    ids.map((id, at) => [`${at}`, { run_id: id, said }]),
  );
  const project = makeProject({
    [SOURCE_RECORDS_FILE]: JSON.stringify({ sources }),
  });
  const read = Object.values(readSourceRecords(project.root)).map(
    ({ run_id: id }) => id,
  );
  expect(read).toEqual(['shop-20260105_100000', 'größe-1']);
});
