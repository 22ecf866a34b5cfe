import { describe, expect, test } from 'vitest';
import { selectRun, type RunQuery } from '../../../src/sessions/meant-run.ts';
import type { RunState, StoredRun } from '../../../src/state/types.ts';
import { aRecord, aRun, heldBy, HERE, minutesBefore, NOW } from '../../support/runs.ts';

/** A run that was touched so many minutes ago. */
const run = (runId: string, minutes: number, fields: Partial<RunState> = {}): StoredRun =>
  aRun(fields, { runId, modifiedAt: Date.parse(minutesBefore(minutes)) });

const select = (
  runs: StoredRun[],
  session: string | null,
  purpose: RunQuery['purpose'],
): Record<string, unknown> => {
  const selection = selectRun(runs, { session, purpose, now: NOW, hostname: HERE });
  const ids = (found: StoredRun[]): string[] => found.map(({ runId }) => runId);
  switch (selection.kind) {
    case 'run':
      return { run: selection.run.runId, others: ids(selection.others) };
    case 'ambiguous':
      return { refused: ids(selection.runs) };
    default:
      return { inactive: ids(selection.inactive), heldByOthers: ids(selection.heldByOthers) };
  }
};

describe('inside a session', () => {
  const old = run('old', 50);
  const recent = run('recent', 5);
  const mine = run('mine', 90, heldBy('me'));
  const theirs = run('theirs', 1, heldBy('them'));

  test.each(['read', 'write'] as const)('the run it holds is meant (%s)', (purpose) => {
    expect(select([recent, mine, theirs], 'me', purpose)).toEqual({
      run: 'mine',
      others: ['theirs', 'recent'],
    });
  });

  const left = run('left', 1, heldBy('gone', { last_seen_at: minutesBefore(13 * 60) }));

  test('else, to read, the most recent active one with the others listed', () => {
    expect(select([old, theirs, recent], 'me', 'read')).toEqual({
      run: 'theirs',
      others: ['recent', 'old'],
    });
  });

  test('else, to write, the only one that no other session holds or held last', () => {
    const paused = run('paused', 2, { status: 'paused' });
    expect(select([theirs, left, paused, old], 'me', 'write')).toMatchObject({ run: 'old' });
  });

  test('else, to write, refused with the list', () => {
    expect(select([old, theirs, recent], 'me', 'write')).toEqual({ refused: ['recent', 'old'] });
  });

  test('a run that another session holds or held last is not written to', () => {
    for (const other of [theirs, left]) {
      expect(select([other], 'me', 'write')).toEqual({
        inactive: [],
        heldByOthers: [other.runId],
      });
    }
  });

  test('a run whose last holder is known only by its id is not written to either', () => {
    const noted = run('noted', 1, { sessions: { current_session_id: 'unknown' } });
    expect(select([noted], 'me', 'write')).toMatchObject({ heldByOthers: ['noted'] });
  });

  test('a run that everybody has released is free', () => {
    const record = aRecord('them', { released_at: minutesBefore(3) });
    const released = run('released', 1, { sessions: { session_history: [record] } });
    expect(select([released, theirs], 'me', 'write')).toMatchObject({ run: 'released' });
  });

  test('a released run is not meant by a session whose own run another one has taken', () => {
    const record = aRecord('them', { released_at: minutesBefore(3) });
    const released = run('released', 1, { sessions: { session_history: [record] } });
    const taken = run('taken', 5, {
      sessions: {
        current_session_id: 'other',
        session_history: [aRecord('me', { taken_by: 'command' }), aRecord('other')],
      },
    });
    expect(select([released, taken], 'me', 'write')).toMatchObject({
      heldByOthers: ['released', 'taken'],
    });
  });

  test.each(['read', 'write'] as const)('the run it held last is meant (%s)', (purpose) => {
    const ended = { ended_at: minutesBefore(9), end_reason: 'prompt_input_exit' };
    const sessions = {
      current_session_id: 'gone',
      session_history: [aRecord('me', ended), aRecord('gone', ended)],
    };
    expect(select([recent, run('last', 80, { sessions })], 'me', purpose)).toMatchObject({
      run: 'last',
    });
  });

  test('an id that ended by clear stands for the session that took over', () => {
    const record = aRecord('before', { end_reason: 'clear', handed_to: 'after' });
    const handed = run('handed', 30, {
      sessions: { current_session_id: 'after', session_history: [record, aRecord('after')] },
    });
    expect(select([recent, handed], 'before', 'write')).toMatchObject({ run: 'handed' });
  });
});

describe('in a person’s terminal holding does not matter', () => {
  const held = run('held', 1, heldBy('them'));
  const free = run('free', 20);

  test('to read, the most recent active run, the others listed', () => {
    expect(select([free, held], null, 'read')).toEqual({ run: 'held', others: ['free'] });
  });

  test('to write, the only one', () => {
    expect(select([held], null, 'write')).toEqual({ run: 'held', others: [] });
  });

  test('else refused with the list', () => {
    expect(select([free, held], null, 'write')).toEqual({ refused: ['held', 'free'] });
  });
});

test.each(['paused', 'failed', 'completed'] as const)('a %s run is never meant', (status) => {
  const inactive = run('inactive', 1, { status });
  expect(select([inactive], null, 'read')).toEqual({ inactive: ['inactive'], heldByOthers: [] });
});
