import { describe, expect, test } from 'vitest';
import { byRecency, findRun, selectRun, type RunQuery } from '../../../src/sessions/select-run.ts';
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

  test.each(['read', 'write'] as const)(
    'else the only active run that no live session holds (%s)',
    (purpose) => {
      const paused = run('paused', 2, { status: 'paused' });
      expect(select([theirs, paused, old], 'me', purpose)).toEqual({
        run: 'old',
        others: ['theirs'],
      });
    },
  );

  test('else, to read, the most recent unheld one with the others listed', () => {
    expect(select([old, theirs, recent], 'me', 'read')).toEqual({
      run: 'recent',
      others: ['theirs', 'old'],
    });
  });

  test('to write, refused with the list', () => {
    expect(select([old, theirs, recent], 'me', 'write')).toEqual({ refused: ['recent', 'old'] });
  });

  test('a run that another live session holds is never meant', () => {
    expect(select([theirs], 'me', 'read')).toEqual({ inactive: [], heldByOthers: ['theirs'] });
  });

  test('a run whose holder is no longer live is free', () => {
    const left = run('left', 1, heldBy('gone', { last_seen_at: minutesBefore(13 * 60) }));
    expect(select([left], 'me', 'write')).toEqual({ run: 'left', others: [] });
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

test('recent first, of equal ones the later run id', () => {
  const ids = byRecency([run('a', 5), run('c', 9), run('b', 5)]).map(({ runId }) => runId);
  expect(ids).toEqual(['b', 'a', 'c']);
});

describe('a run is named', () => {
  const auth = aRun({ workflow: 'User Auth (v2)' });
  const build = aRun({ workflow: 'Build' });
  const builder = aRun({ workflow: 'Builder' });
  const runs = [auth, builder, build];

  test.each([
    ['user-auth-v2-20250501_080000', auth, 'run id'],
    ['user-auth-v2', auth, 'slug'],
    ['User Auth (v2)', auth, 'workflow name'],
    ['USER-AUTH-V2', auth, 'any case'],
    [' user-auth-v2 ', auth, 'spaces around it'],
    ['us', auth, 'a unique prefix'],
    ['build', build, 'a whole name before a prefix'],
    ['builder-2025', builder, 'a prefix of the run id'],
  ])('%s: %s', (name, expected) => {
    expect(findRun(runs, name)).toEqual({ kind: 'run', run: expected });
  });

  test('a prefix of several is refused with the list', () => {
    expect(findRun(runs, 'buil')).toMatchObject({
      kind: 'ambiguous',
      runs: [{ slug: 'builder' }, { slug: 'build' }],
    });
  });

  test('a prefix of several is refused also where only one of them is active', () => {
    const paused = aRun({ workflow: 'Buildings', status: 'paused' });
    expect(findRun([paused, build], 'buil').kind).toBe('ambiguous');
  });

  test('of equal names the only active one is meant', () => {
    const former = aRun({ workflow: 'Build', status: 'paused' }, { runId: 'build-1' });
    expect(findRun([former, build], 'build')).toEqual({ kind: 'run', run: build });
    const second = aRun({ workflow: 'Build' }, { runId: 'build-2' });
    expect(findRun([former, build, second], 'build').kind).toBe('ambiguous');
  });

  test('the run id is beyond doubt, also where another workflow is called so', () => {
    const impostor = aRun({ workflow: build.runId }, { runId: 'impostor' });
    expect(findRun([impostor, build], build.runId)).toEqual({ kind: 'run', run: build });
  });

  test('letters count, not how their accents are encoded', () => {
    expect(findRun([aRun({ workflow: 'Лёд' })], 'лёд'.normalize('NFD')).kind).toBe('run');
  });

  test('a slip of the hand is told what may have been meant', () => {
    const near = (name: string) => {
      const found = findRun(runs, name);
      return found.kind === 'unknown' ? found.near.map(({ slug }) => slug) : found.kind;
    };
    expect(near('biuld')).toEqual([]);
    expect(near('biild')).toEqual(['build']);
    expect(near('auth')).toEqual(['user-auth-v2']);
    expect(near('zzz')).toEqual([]);
    expect(near('')).toEqual([]);
  });
});
