import { expect, it } from 'vitest';
import { timeline, type TimelineEntry } from '../../../src/ui/timeline.ts';
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
