import { describe, expect, test } from 'vitest';
import { chooseRestoration, type RestoreInput } from '../../../src/restore/choose-restoration.ts';
import type { RunState, StoredRun } from '../../../src/state/types.ts';
import { aRun, heldBy, HERE, minutesBefore, NOW } from '../../support/runs.ts';

const DAYS = 24 * 60;
const run = (runId: string, minutes: number, fields: Partial<RunState> = {}): StoredRun =>
  aRun(fields, { runId, modifiedAt: Date.parse(minutesBefore(minutes)) });
const restore = (runs: StoredRun[], fields: Partial<RestoreInput> = {}) =>
  chooseRestoration({
    runs,
    session: 'me',
    source: 'compact',
    isAttended: true,
    startup: 'offer',
    dormant: new Set(),
    awaitsContext: () => false,
    now: NOW,
    hostname: HERE,
    ...fields,
  });

const mine = run('mine', 50, heldBy('me'));
const theirs = run('theirs', 1, heldBy('them'));
const free = run('free', 20);
const older = run('older', 30);

describe('a session that holds a run is given it', () => {
  test.each([
    ['compact', 'full'],
    ['clear', 'frame'],
    ['resume', 'short'],
    ['startup', 'short'],
  ])('on %s: %s', (source, kind) => {
    expect(restore([theirs, mine, free], { source })).toMatchObject({ kind, run: mine });
  });

  test('on compact with the others listed', () => {
    expect(restore([theirs, mine])).toMatchObject({ isOwn: true, others: [theirs] });
  });

  test.each(['paused', 'failed', 'completed'] as const)('never a %s one', (status) => {
    const ended = run('ended', 1, { ...heldBy('me'), status });
    expect(restore([ended]).kind).toBe('nothing');
  });
});

describe('a session that holds none, after compaction', () => {
  test('takes the only run that no live session holds', () => {
    expect(restore([theirs, free])).toMatchObject({ kind: 'full', run: free, takes: true });
  });

  test('of several is given the most recent, which it does not take', () => {
    expect(restore([older, free])).toMatchObject({
      kind: 'full',
      run: free,
      takes: false,
      others: [older],
    });
  });

  test('is given nothing if live sessions hold them all', () => {
    expect(restore([theirs]).kind).toBe('nothing');
  });

  test('is not given a run that it let go of', () => {
    const released = run('released', 5, {
      sessions: {
        session_history: [{ session_id: 'me', started_at: 'x', released_at: minutesBefore(5) }],
      },
    });
    expect(restore([released]).kind).toBe('nothing');
    expect(restore([released], { session: 'another' })).toMatchObject({ run: released });
  });

  test('is not given a run whose source is gone', () => {
    expect(restore([free], { dormant: new Set(['free']) }).kind).toBe('nothing');
  });

  test('is not given a run that nobody touched for 14 days', () => {
    expect(restore([run('old', 14 * DAYS)])).toMatchObject({ takes: true });
    expect(restore([run('old', 14 * DAYS + 1)]).kind).toBe('nothing');
  });
});

describe('a new session', () => {
  const startup: Partial<RestoreInput> = { source: 'startup' };

  test.each(['startup', 'fork'])(
    'on %s is told what is in progress, and takes nothing',
    (source) => {
      expect(restore([older, theirs, free], { source })).toMatchObject({
        kind: 'offer',
        runs: [theirs, free, older],
      });
    },
  );

  test('is told nothing if nobody attends it', () => {
    expect(restore([free], { ...startup, isAttended: false }).kind).toBe('nothing');
    expect(restore([free], { ...startup, isAttended: false, startup: 'full' }).kind).toBe(
      'nothing',
    );
  });

  test('is told nothing where that is switched off', () => {
    expect(restore([free], { ...startup, startup: 'off' }).kind).toBe('nothing');
  });

  test('takes an unheld run at once where the settings or its template let it', () => {
    const auto = run('auto', 5, { template: { resume: 'auto' } });
    expect(restore([free], { ...startup, startup: 'full' })).toMatchObject({
      kind: 'full',
      run: free,
      takes: true,
    });
    expect(restore([auto, theirs], startup)).toMatchObject({ kind: 'full', run: auto });
    expect(restore([auto], { source: 'fork' }).kind).toBe('offer');
    expect(restore([theirs], { ...startup, startup: 'full' }).kind).toBe('offer');
  });

  test('is told nothing where nothing is in progress', () => {
    expect(restore([], startup).kind).toBe('nothing');
    expect(restore([free], { ...startup, dormant: new Set(['free']) }).kind).toBe('nothing');
  });
});
