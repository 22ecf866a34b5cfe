import { describe, expect, test } from 'vitest';
import {
  chooseRestoration,
  isOwn,
  type Restoration,
  type RestorationInput,
} from '../../../../src/guidance/restore/choose-restoration.ts';
import { chooseRun } from '../../../../src/sessions/choose-run.ts';
import { DEFAULTS, type Settings } from '../../../../src/settings/settings.ts';
import { isStale } from '../../../../src/sources/source-state.ts';
import type { Hold, RunState, Run } from '../../../../src/state/types.ts';
import {
  aRun,
  heldBy,
  HERE,
  minutesBefore,
  NOW,
} from '../../../support/runs.ts';

const ENDED = { ended_at: minutesBefore(5), end_reason: 'prompt_input_exit' };
const run = (
  runId: string,
  minutes: number,
  fields: Partial<RunState> = {},
): Run =>
  aRun(fields, { runId, modifiedAt: Date.parse(minutesBefore(minutes)) });
/** Without a transcript, as if nothing in it decided. */
const restore = (
  runs: Run[],
  fields: Partial<RestorationInput> = {},
): Restoration => {
  const input: RestorationInput = {
    root: '/project',
    config: '/nowhere',
    launchFolder: '/project',
    runs,
    session: 'me',
    source: 'compact',
    isAttended: true,
    settings: DEFAULTS,
    sources: [],
    now: NOW,
    hostname: HERE,
    ...fields,
  };
  const isCompaction = input.source === 'compact';
  const choice = chooseRun({
    ...input,
    former: null,
    transcript: isCompaction ? 'no_evidence' : 'not_read',
    isStale: (stored) => isStale(stored, input.sources, NOW),
  });
  return chooseRestoration(choice, input);
};

const startingWith = (
  startup: Settings['restore']['startup'],
): Partial<RestorationInput> => ({
  source: 'startup',
  settings: { ...DEFAULTS, restore: { ...DEFAULTS.restore, startup } },
});

const mine = run('mine', 50, heldBy('me'));
const theirs = run('theirs', 1, heldBy('them'));
const free = run('free', 20);
const older = run('older', 30);
describe('a session that holds a run gets it', () => {
  test.each([
    ['compact', 'full'],
    ['clear', 'frame'],
    ['resume', 'short'],
    ['startup', 'short'],
  ])('on %s: %s', (source, kind) => {
    expect(restore([theirs, mine, free], { source })).toMatchObject({
      kind,
      run: mine,
    });
  });

  test.each(['paused', 'failed', 'completed'] as const)(
    'but never a %s one',
    (status) => {
      const ended = run('ended', 1, { ...heldBy('me'), status });
      expect(restore([ended]).kind).toBe('nothing');
    },
  );
});

describe('a session that holds no run, after a compaction', () => {
  const CANDIDATES = {
    kind: 'candidates',
    offers: [{ run: free }, { run: older }],
  };
  test('takes the only run that no session ever held, and is told that it may be wrong', () => {
    const choice = restore([theirs, free]);
    expect(choice).toMatchObject({ kind: 'full', run: free });
    expect('run' in choice && isOwn(choice.run, choice.reason, 'me')).toBe(
      false,
    );
  });

  test('is shown several, and takes none', () => {
    expect(restore([older, free])).toMatchObject(CANDIDATES);
  });

  test('does not take a run that it released', () => {
    const released = run('released', 5, {
      sessions: {
        session_history: [
          { session_id: 'me', started_at: 'x', released_at: minutesBefore(5) },
        ],
      },
    });
    const nothing = (why: string): object => ({ kind: 'nothing', why });
    expect(restore([released])).toEqual(
      nothing('this session released the runs that it could get'),
    );
    expect(restore([released, older, free])).toMatchObject(CANDIDATES);
    const source = {
      kind: 'plan',
      path: 'PLAN.md',
      status: 'not_started',
    } as const;
    const later = restore([run('later', 5, { source })]);
    expect(later).toEqual(
      nothing('the plans of the runs here have not started'),
    );
  });
});

test.each<[Hold, boolean]>([
  [{ by: 'evidence' }, false],
  [{ by: 'only' }, false],
  [{ by: 'clear' }, false],
  [{ by: 'clear', touched: true }, true],
  [{ by: 'command' }, true],
])('a run that the session holds by %j is its own: %s', (hold, expected) => {
  const held = run('mine', 1, { ...heldBy('me'), hold });
  expect(isOwn(held, { rule: 'held' }, 'me')).toBe(expected);
});

describe('a new session', () => {
  const startup: Partial<RestorationInput> = { source: 'startup' };

  test.each(['startup', 'fork'])(
    'on %s sees what no live session holds, and takes nothing',
    (source) => {
      const left = run('left', 40, heldBy('gone', ENDED));
      expect(restore([older, theirs, left, free], { source })).toEqual({
        kind: 'offer',
        offers: [free, older, left].map((each) => ({ kind: 'run', run: each })),
      });
      expect(restore([theirs], { source })).toMatchObject({
        why: expect.stringMatching(/^other live/),
      });
    },
  );

  test('gets nothing if it is unattended', () => {
    expect(restore([free], { ...startup, isAttended: false }).kind).toBe(
      'nothing',
    );
    expect(
      restore([free], { ...startingWith('full'), isAttended: false }).kind,
    ).toBe('nothing');
  });

  test('takes an unheld run at once if the settings or its template say so', () => {
    const auto = run('auto', 5, { template: { resume: 'auto' } });
    const taken = { kind: 'full', run: free, reason: { rule: 'startup' } };
    expect(restore([free], startingWith('full'))).toEqual(taken);
    expect(restore([auto, theirs], startup)).toMatchObject({
      kind: 'full',
      run: auto,
    });
    expect(restore([auto], { source: 'fork' }).kind).toBe('offer');
    expect(restore([theirs], startingWith('full')).kind).toBe('nothing');
  });
});
