import type { SyncInput } from '../../../src/sources/types.ts';
import { describe, expect, test } from 'vitest';
import { planSync } from '../../../src/sources/plan-sync.ts';
import { isStale } from '../../../src/sources/source-state.ts';
import { recencyOf } from '../../../src/state/recency.ts';
import type { RunState } from '../../../src/state/types.ts';
import {
  aPhase,
  aRun,
  aSaid,
  heldBy,
  LOCAL_FILE,
  localFile,
  minutesBefore,
  NOW,
  plan,
} from '../../support/runs.ts';

const PLAN = 'CLAUDE/Plan/00007-auth/PLAN.md';
const OTHER_PLAN = 'CLAUDE/Plan/00008-auth/PLAN.md';

const input = (fields: Partial<SyncInput>): SyncInput => ({
  sources: [],
  runs: [],
  sourceRecords: {},
  head: '',
  session: null,
  now: NOW,
  ...fields,
});
const sync = (fields: Partial<SyncInput>) => planSync(input(fields)).changes;
const fed = (fields: Partial<SyncInput>) =>
  sync(fields).map(({ run }) => run?.runId ?? 'new');
const from = (path: string, said = aSaid()): Partial<RunState> => ({
  source: {
    kind: path === LOCAL_FILE ? 'local-file' : 'plan',
    path,
    said: { ...said },
  },
});
const named = (workflow: string) => aSaid({ workflow });
const ahead = aSaid({ phase: { current: 3, total: 5, name: 'Verify' } });
/** The run that should be fed, and one of the same workflow that is newer. */
const run = (state: Partial<RunState>) => aRun(state, { runId: 'it' });
const newer = aRun({}, { runId: 'newer', modifiedAt: NOW.getTime() });
const cli: Partial<RunState> = { source: { kind: 'cli' } };

test.each<[title: string, fields: Partial<SyncInput>, fed: string[]]>([
  [
    'a plan feeds the run that names it, whatever the run is called by now',
    {
      runs: [
        aRun({ workflow: 'New title' }),
        run({ workflow: 'Old', ...from(PLAN, named('Old')) }),
      ],
      sources: [plan(PLAN, named('New title'))],
    },
    ['it'],
  ],
  [
    'the local file feeds the run that names it and has the same slug',
    { runs: [newer, run({ workflow: 'FEATURE!', ...from(LOCAL_FILE) })] },
    ['it'],
  ],
  [
    'the local file feeds its run also after somebody has renamed the run',
    {
      runs: [run({ workflow: 'Renamed', ...from(LOCAL_FILE), adopted: true })],
    },
    ['it'],
  ],
  ...[7, '7', '00007'].map((number): [string, Partial<SyncInput>, string[]] => [
    `a plan feeds the run whose plan_number is ${JSON.stringify(number)}`,
    {
      runs: [run({ workflow: 'Mine', context: { plan_number: number } })],
      sources: [plan(PLAN, ahead)],
    },
    ['it'],
  ]),
  [
    'the run of another plan is not taken over because it reads this one',
    {
      runs: [
        run({
          workflow: 'Other',
          ...from(OTHER_PLAN),
          required_reading: [`@${PLAN}`],
        }),
      ],
      sources: [plan(PLAN, ahead)],
    },
    ['it', 'new'],
  ],
  [
    'of several of that name this session’s first',
    { runs: [newer, run(heldBy('me'))], session: 'me' },
    ['it'],
  ],
  [
    'and without a session the latest',
    { runs: [newer, run(heldBy('me'))] },
    ['newer'],
  ],
  [
    'a completed run is not fed any more',
    { runs: [run({ ...from(LOCAL_FILE), status: 'completed' })] },
    ['new'],
  ],
  [
    'several plans are several runs, also when they have one title',
    { sources: [plan(PLAN, aSaid()), plan(OTHER_PLAN, aSaid())] },
    ['new', 'new'],
  ],
  [
    'and they do not both take a run that somebody started by hand',
    { runs: [run(cli)], sources: [plan(PLAN, ahead), plan(OTHER_PLAN, ahead)] },
    ['it', 'new'],
  ],
  [
    'a plan whose folder was renamed does not begin a second run',
    { runs: [run(from(PLAN))], sources: [plan(OTHER_PLAN, ahead)] },
    ['it'],
  ],
  [
    'a source changes nothing while it says what it said',
    {
      runs: [
        run({ phase: aPhase({ current: 4 }), ...from(LOCAL_FILE, ahead) }),
      ],
    },
    [],
  ],
])('%s', (_title, fields, expected) => {
  expect(fed({ sources: [localFile(ahead)], ...fields })).toEqual(expected);
});

test('of two plans that a run reads, the first feeds it unless its plan_number says otherwise', () => {
  const reading = {
    workflow: 'Mine',
    required_reading: [`@./${OTHER_PLAN}#phase-2`, `@${PLAN}`],
  };
  const sources = [plan(PLAN, named('A')), plan(OTHER_PLAN, named('B'))];
  const feeds = (state: Partial<RunState>): unknown =>
    sync({ runs: [aRun(state)], sources }).map((change) =>
      change.kind === 'update'
        ? change.updates.map(({ path }) => path)
        : change.kind,
    );
  expect(feeds(reading)).toEqual([[OTHER_PLAN], 'create']);
  expect(feeds({ ...reading, context: { plan_number: 7 } })).toEqual([
    [PLAN],
    'create',
  ]);
});

const marker = aSaid({
  phase: { current: 1, total: 5 },
  key_reminders: ['ask'],
});
test.each<[title: string, fields: Partial<SyncInput>, state: object]>([
  [
    'a plan that feeds a run by hand becomes its source, and the run keeps its name',
    {
      runs: [run({ workflow: 'Mine', required_reading: [`@${PLAN}`] })],
      sources: [plan(PLAN, ahead)],
    },
    {
      workflow: 'Mine',
      adopted: true,
      source: { path: PLAN },
      phase: { current: 3 },
    },
  ],
  [
    'so does a section that has the same slug',
    { runs: [run({ workflow: 'feature', ...cli, adopted: true })] },
    {
      adopted: true,
      source: {
        kind: 'local-file',
        path: LOCAL_FILE,
        written: true,
        said: ahead,
      },
      phase: { current: 3, name: 'Verify' },
    },
  ],
  [
    'a section and the plan that it names are one run',
    {
      sources: [
        localFile(
          aSaid({ workflow: 'Section', required_reading: [`@${PLAN}`] }),
        ),
        plan(PLAN, ahead),
      ],
    },
    { workflow: 'Section', phase: { current: 3 } },
  ],
  [
    'a source without a type or a phase begins a custom workflow without a total',
    { sources: [localFile(aSaid())] },
    {
      workflow_type: 'custom',
      phase: { current: 1, total: 1, total_known: false },
    },
  ],
  [
    'a new run is dated by its source',
    {
      sources: [
        { ...plan(PLAN, aSaid()), modifiedAt: NOW.getTime() - 3_600_000 },
      ],
    },
    { created_at: new Date(NOW.getTime() - 3_600_000).toISOString() },
  ],
])('%s', (_title, fields, state) => {
  expect(sync({ sources: [localFile(ahead)], ...fields })).toMatchObject([
    { state },
  ]);
});

describe('a second source of the same name', () => {
  const planned = aSaid({ phase: { current: 2, total: 5, name: 'Build' } });
  const state = {
    phase: aPhase({ current: 2, name: 'Build' }),
    ...from(PLAN, planned),
  };
  const merged = run({ ...state, key_reminders: ['ask'] });
  const sources = [localFile(marker), plan(PLAN, planned)];
  const planFed = { [PLAN]: { run_id: 'it', said: { ...planned } } };
  const bothFed = (runId = 'it'): SyncInput['sourceRecords'] => ({
    ...planFed,
    [`${LOCAL_FILE}#feature`]: { run_id: runId, said: { ...marker } },
  });
  const verify = { current: 3, total: 5, name: 'Verify' };
  const movedAt = (local: number, planTime: number) => [
    {
      ...localFile({ ...marker, phase: { current: 4, total: 5 } }),
      modifiedAt: local,
    },
    {
      ...plan(PLAN, { ...planned, phase: { current: 3, total: 5 } }),
      modifiedAt: planTime,
    },
  ];

  test.each<[title: string, fields: Partial<SyncInput>, states: object[]]>([
    [
      'adds to the run and does not become its source',
      { sourceRecords: planFed },
      [{ ...run(state).state, key_reminders: ['ask'] }],
    ],
    [
      'that appears together with it begins one run with it',
      { runs: [] },
      [{ phase: { current: 2, name: 'Build' }, key_reminders: ['ask'] }],
    ],
    [
      'then asks for nothing more',
      { runs: [merged], sourceRecords: bothFed() },
      [],
    ],
    [
      'wins where it changed since, and only there',
      {
        runs: [run({ ...state, key_reminders: [] })],
        sources: [localFile({ ...marker, phase: verify }), plan(PLAN, planned)],
        sourceRecords: bothFed(),
      },
      [{ phase: verify, key_reminders: [] }],
    ],
    [
      'wins over the other if both changed and it was written last',
      { sources: movedAt(2, 1), sourceRecords: bothFed() },
      [{ phase: { current: 4 } }],
    ],
    [
      'stays with the run that it was merged into, although a newer one has its name',
      {
        runs: [
          aRun(cli, { runId: 'newer', modifiedAt: NOW.getTime() }),
          run({ ...merged.state, workflow: 'Renamed' }),
        ],
        sourceRecords: bothFed(),
      },
      [],
    ],
    [
      'adds nothing if its own run has ended and it has not changed since',
      { sourceRecords: bothFed('ended') },
      [],
    ],
  ])('%s', (_title, fields, states) => {
    expect(sync({ runs: [run(state)], sources, ...fields })).toMatchObject(
      states.map((each) => ({ state: each })),
    );
  });
});

test('how recent a run is: the later of updated_at and the file’s own time', () => {
  const touched = Date.parse(minutesBefore(5));
  const recency = (at: string, modifiedAt: number): number =>
    recencyOf(aRun({ updated_at: at }, { modifiedAt }));
  expect(recency(minutesBefore(10), touched)).toBe(touched);
  expect(recency(minutesBefore(10), 1)).toBe(Date.parse(minutesBefore(10)));
  expect(recency('yesterday', touched)).toBe(touched);
});

/** A run is as old as its source, because hooks write to it; the run itself counts if somebody else wrote to it. */
test.each<
  [
    state: Partial<RunState>,
    touched: number,
    written: number | null,
    stale: boolean,
  ]
>([
  [from(PLAN), 0, 15, true],
  [from(PLAN), 15, 1, false],
  [{}, 15, null, true],
  [{}, 13, null, false],
  [{ ...from(PLAN), adopted: true }, 1, 15, false],
])(
  'untouched for 14 days: %j, %j days ago, its source %j',
  (state, touched, written, stale) => {
    const daysAgo = (days: number) => ({
      modifiedAt: NOW.getTime() - days * 24 * 3_600_000,
    });
    const sources =
      written === null ? [] : [{ ...plan(PLAN, aSaid()), ...daysAgo(written) }];
    expect(isStale(aRun(state, daysAgo(touched)), sources, NOW)).toBe(stale);
  },
);
