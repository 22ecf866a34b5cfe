import { describe, expect, test } from 'vitest';
import { hold, sessionRecord } from '../../../src/sessions/holder.ts';
import { liveHolder } from '../../../src/sessions/liveness.ts';
import type { SessionRecord } from '../../../src/state/types.ts';
import {
  aRecord,
  aState,
  heldBy,
  HERE,
  minutesBefore,
  NOW,
} from '../../support/runs.ts';

const environment = { hostname: HERE };

describe('a session is live', () => {
  const HOURS = 60;
  const { last_seen_at: _seen, ...unseen } = aRecord('s', {
    started_at: minutesBefore(5),
  });
  test.each<[string, boolean, Partial<SessionRecord>]>([
    [
      'seen in the last 12 hours',
      true,
      { last_seen_at: minutesBefore(12 * HOURS) },
    ],
    [
      'seen before that',
      false,
      { last_seen_at: minutesBefore(12 * HOURS + 1) },
    ],
    ['seen at no time', false, { last_seen_at: 'yesterday' }],
    ['ended', false, { ended_at: minutesBefore(0), end_reason: 'other' }],
    [
      'on another machine',
      false,
      { environment: { hostname: 'another-machine' } },
    ],
    ['on no known machine', false, { environment: {} }],
  ])('%s: %s', (_what, isLive, fields) => {
    const holder = liveHolder(aState(heldBy('s', fields)), {
      now: NOW,
      hostname: HERE,
    });
    expect(holder).toBe(isLive ? 's' : null);
  });

  test.each([1, 13, 24 * 365])(
    'if it was seen %i hours in the future',
    (hours) => {
      const state = aState(
        heldBy('s', { last_seen_at: minutesBefore(-hours * HOURS) }),
      );
      expect(liveHolder(state, { now: NOW, hostname: HERE })).toBe('s');
    },
  );

  test.each<[string, SessionRecord[], string | null]>([
    ['from its start on, before it was seen again', [unseen], 's'],
    ['not where nothing is known of it', [], null],
  ])('%s', (_what, session_history, expected) => {
    const state = aState({
      sessions: { current_session_id: 's', session_history },
    });
    expect(liveHolder(state, { now: NOW, hostname: HERE })).toBe(expected);
    expect(liveHolder(aState(), { now: NOW, hostname: HERE })).toBeNull();
  });

  test.each([
    [4, null],
    [6, 's'],
  ])('if it is seen %i seconds after it ended: %s', (seconds, expected) => {
    const ended_at = minutesBefore(1);
    const seenAt = () => Date.parse(ended_at) + seconds * 1_000;
    const state = aState(heldBy('s', { ended_at }));
    expect(liveHolder(state, { now: NOW, hostname: HERE, seenAt })).toBe(
      expected,
    );
  });

  test('in this checkout only, where both tell', () => {
    const there = aState(
      heldBy('s', { environment: { hostname: HERE, checkout: 'one' } }),
    );
    const asked = (checkout: string | undefined): string | null =>
      liveHolder(there, { now: NOW, hostname: HERE, checkout });
    expect([asked('one'), asked(undefined), asked('two')]).toEqual([
      's',
      's',
      null,
    ]);
  });
});

describe('holding a run', () => {
  test('opens the record of a session that comes back', () => {
    const ended = {
      ended_at: minutesBefore(3),
      end_reason: 'logout',
      released_at: 'x',
      mine: 1,
    };
    const held = hold(aState(heldBy('me', ended)), 'me', environment, NOW);
    expect(sessionRecord(held, 'me')).toEqual({
      ...aRecord('me'),
      last_seen_at: NOW.toISOString(),
      mine: 1,
      hold: { by: 'command' },
    });
  });

  test('keeps at most 50 records, the newest', () => {
    const history = Array.from({ length: 50 }, (_, index) =>
      aRecord(`s${index}`),
    );
    const held = hold(
      aState({ sessions: { session_history: history } }),
      'new',
      environment,
      NOW,
    );
    const ids = held.sessions?.session_history?.map(
      ({ session_id }) => session_id,
    );
    expect(ids).toHaveLength(50);
    expect(ids?.[0]).toBe('s1');
    expect(ids?.at(-1)).toBe('new');
  });
});
