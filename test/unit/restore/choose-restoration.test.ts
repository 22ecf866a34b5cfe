import { describe, expect, test } from 'vitest';
import {
  chooseRestoration,
  type RestorationInput,
} from '../../../src/restore/choose-restoration.ts';
import { DEFAULTS, type Settings } from '../../../src/settings/settings.ts';
import type { RunState, StoredRun } from '../../../src/state/types.ts';
import { aRun, heldBy, HERE, minutesBefore, NOW } from '../../support/runs.ts';

const DAYS = 24 * 60;
const run = (runId: string, minutes: number, fields: Partial<RunState> = {}): StoredRun =>
  aRun(fields, { runId, modifiedAt: Date.parse(minutesBefore(minutes)) });
const restore = (runs: StoredRun[], fields: Partial<RestorationInput> = {}) =>
  chooseRestoration({
    runs,
    session: 'me',
    source: 'compact',
    isAttended: true,
    settings: DEFAULTS,
    sources: [],
    now: NOW,
    hostname: HERE,
    ...fields,
  });

const startingWith = (startup: Settings['restore']['startup']): Partial<RestorationInput> => ({
  source: 'startup',
  settings: { restore: { ...DEFAULTS.restore, startup } },
});

const mine = run('mine', 50, heldBy('me'));
const theirs = run('theirs', 1, heldBy('them'));
const free = run('free', 20);
const older = run('older', 30);
/** Its plan is not among the sources any more. */
const dormant = run('dormant', 5, { source: { kind: 'plan', path: 'CLAUDE/Plan/1/PLAN.md' } });

describe('a session that holds a run gets it', () => {
  test.each([
    ['compact', 'full'],
    ['clear', 'frame'],
    ['resume', 'short'],
    ['startup', 'short'],
  ])('on %s: %s', (source, kind) => {
    expect(restore([theirs, mine, free], { source })).toMatchObject({ kind, run: mine });
  });

  test('on compact, with the other runs listed', () => {
    expect(restore([theirs, mine])).toMatchObject({ isOwn: true, others: [theirs] });
  });

  test.each(['paused', 'failed', 'completed'] as const)('but never a %s one', (status) => {
    const ended = run('ended', 1, { ...heldBy('me'), status });
    expect(restore([ended]).kind).toBe('nothing');
  });
});

describe('a session that holds no run, after a compaction', () => {
  test('takes the only run that no live session holds', () => {
    expect(restore([theirs, free])).toMatchObject({ kind: 'full', run: free, takes: true });
  });

  test('sees the most recent of several, and does not take it', () => {
    expect(restore([older, free])).toMatchObject({
      kind: 'full',
      run: free,
      takes: false,
      others: [older],
    });
  });

  test('gets nothing if live sessions hold all of them', () => {
    expect(restore([theirs]).kind).toBe('nothing');
  });

  test('does not get a run that it released', () => {
    const released = run('released', 5, {
      sessions: {
        session_history: [{ session_id: 'me', started_at: 'x', released_at: minutesBefore(5) }],
      },
    });
    expect(restore([released]).kind).toBe('nothing');
    expect(restore([released], { session: 'another' })).toMatchObject({ run: released });
  });

  test('does not get a run whose source is gone', () => {
    expect(restore([dormant]).kind).toBe('nothing');
  });

  test('does not get a run untouched for 14 days', () => {
    expect(restore([run('old', 14 * DAYS)])).toMatchObject({ takes: true });
    expect(restore([run('old', 14 * DAYS + 1)]).kind).toBe('nothing');
  });
});

describe('a new session', () => {
  const startup: Partial<RestorationInput> = { source: 'startup' };

  test.each(['startup', 'fork'])('on %s sees what is in progress, and takes nothing', (source) => {
    expect(restore([older, theirs, free], { source })).toMatchObject({
      kind: 'offer',
      runs: [theirs, free, older],
    });
  });

  test('gets nothing if it is unattended', () => {
    expect(restore([free], { ...startup, isAttended: false }).kind).toBe('nothing');
    expect(restore([free], { ...startingWith('full'), isAttended: false }).kind).toBe('nothing');
  });

  test('gets nothing if restore.startup is off', () => {
    expect(restore([free], startingWith('off')).kind).toBe('nothing');
  });

  test('takes an unheld run at once if the settings or its template say so', () => {
    const auto = run('auto', 5, { template: { resume: 'auto' } });
    expect(restore([free], startingWith('full'))).toMatchObject({
      kind: 'full',
      run: free,
      takes: true,
    });
    expect(restore([auto, theirs], startup)).toMatchObject({ kind: 'full', run: auto });
    expect(restore([auto], { source: 'fork' }).kind).toBe('offer');
    expect(restore([theirs], startingWith('full')).kind).toBe('offer');
  });

  test('gets nothing if nothing is in progress', () => {
    expect(restore([], startup).kind).toBe('nothing');
    expect(restore([dormant], startup).kind).toBe('nothing');
  });
});
