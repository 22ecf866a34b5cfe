import { expect, it } from 'vitest';
import {
  cutSections,
  restoredText,
  timeline,
  type TimelineEntry,
} from '../../../src/ui/timeline.ts';
import { aRecord, aState, minutesBefore } from '../../support/runs.ts';

type Event = { event: string; [key: string]: unknown };

const entryOf = (event: Event): TimelineEntry | undefined =>
  timeline(aState(), [{ at: minutesBefore(1), ...event }])[0];

it('an event is shown with its words, what somebody wrote, and its other fields', () => {
  expect(
    entryOf({ event: 'paused', reason: 'lunch', room_number: 4, none: null, session_id: 's1' }),
  ).toMatchObject({
    kind: 'person',
    title: 'Paused',
    text: 'lunch',
    facts: [['room number', 4]],
    session: 's1',
  });
});

it('a restore tells what it gave and how large each section was', () => {
  const sections = [['head', 10], ['ACTION REQUIRED', 18], ['a'], 7, null];
  expect(
    entryOf({ event: 'restored', source: 'compact', given: 'full', characters: 30, sections }),
  ).toMatchObject({
    kind: 'restore',
    title: 'Restored after compact',
    restored: {
      given: 'full',
      characters: 30,
      sections: [
        { name: 'Title and phase', characters: 10 },
        { name: 'ACTION REQUIRED', characters: 18 },
      ],
    },
  });
});

it('sessions and reading are part of it, the latest first, whatever the times are', () => {
  const session_history = [aRecord('s1', { started_at: minutesBefore(9) })];
  const state = aState({ sessions: { current_session_id: 's1', session_history } });
  const entries = timeline(state, [
    { event: 'odd', at: 'yesterday' },
    { event: 'advanced', at: minutesBefore(7), finished: 'x', loaded: ['spec'] },
    { event: 'restored', at: minutesBefore(3), loaded: ['@a.md', '@b.md'], session_id: 's1' },
    { event: 'read', at: minutesBefore(2), file: 'docs/b.md' },
  ]);
  expect(entries.map(({ title }) => title)).toEqual([
    'Read docs/b.md',
    'a.md, b.md were included in the guidance',
    'Restored',
    'spec was loaded into the context',
    'Finished x',
    'A session on this-machine began to work on it',
    'Odd',
  ]);
});

it('a text is cut at the recorded sizes; if it does not fit them, it is one section', () => {
  const sizes = [
    { name: 'head', characters: 3 },
    { name: 'ACTION', characters: 2 },
  ];
  expect(cutSections('abc\n\nde', sizes)).toEqual([
    { name: 'head', text: 'abc' },
    { name: 'ACTION', text: 'de' },
  ]);
  for (const others of [[], sizes.slice(1), [...sizes, ...sizes]])
    expect(cutSections('abc\n\nde', others)).toEqual([{ name: 'Text', text: 'abc\n\nde' }]);
});

const at = '2025-06-01T12:00:00Z';
const line = (fields: object = {}, timestamp = at): string => {
  const stdout = JSON.stringify({ hookSpecificOutput: { additionalContext: 'THE TEXT' } });
  return JSON.stringify({ timestamp, attachment: { type: 'hook_success', stdout, ...fields } });
};
const found = (...lines: string[]): string | null =>
  restoredText({ event: 'restored', at, characters: 'THE TEXT'.length }, lines);

it('what a hook gave to the model is found in a transcript, by its time and size', () => {
  expect(found('{}', line({}, '2025-06-01T12:00:30Z'))).toBe('THE TEXT');
  expect(found(line({}, '2025-06-01T12:02:00Z'))).toBeNull();
  expect(restoredText({ event: 'restored', at, characters: 7 }, [line()])).toBeNull();
});

it.each([
  ['of hooks that failed', line({ type: 'hook_non_blocking_error' })],
  ['that are not a reply', line({ stdout: 'additionalContext' })],
  ['with another value', line({ stdout: '{"hookSpecificOutput":{"additionalContext":7}}' })],
  ['that are cut off', line().slice(0, -9)],
  ['without a time', line({}, 'x')],
  ['of messages', JSON.stringify({ message: { content: 'additionalContext' } })],
])('lines %s are ignored', (_, text) => {
  expect(found(text)).toBeNull();
});
