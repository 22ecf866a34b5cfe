import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseRun, type Known } from '../../../src/sessions/choose-run.ts';
import type { Evidence } from '../../../src/sessions/evidence.ts';
import { takeOverRun } from '../../../src/sessions/holder.ts';
import { liveHolder } from '../../../src/sessions/liveness.ts';
import type { Hold, SessionRecord, Run } from '../../../src/state/types.ts';
import {
  aRecord,
  aRun,
  heldBy,
  HERE,
  minutesBefore,
  NOW,
} from '../../support/runs.ts';

function known(runs: readonly Run[], fields: Partial<Known> = {}): Known {
  return {
    now: NOW,
    hostname: HERE,
    session: 'me',
    runs,
    former: null,
    transcript: 'no_evidence',
    isStale: () => false,
    ...fields,
  };
}

const ENDED = { ended_at: minutesBefore(5), end_reason: 'prompt_input_exit' };
const plan = aRun(
  { workflow: 'Plan', source: { kind: 'plan', path: 'p' } },
  { runId: 'plan' },
);
const local = aRun(
  { workflow: 'Local', source: { kind: 'local-file', path: 'l' } },
  { runId: 'local' },
);
const hand = aRun({ workflow: 'Hand' }, { runId: 'hand', modifiedAt: 5 });
const terminal = aRun(
  { workflow: 'Cli', source: { kind: 'cli' } },
  { runId: 'terminal', modifiedAt: 9 },
);
const left = aRun(
  { workflow: 'Left', ...heldBy('other', ENDED) },
  { runId: 'left' },
);
const evidenceFor = (runId: string): Evidence => ({
  runId,
  did: 'wrote',
  subject: 'x',
});
const weakEvidenceFor = (runId: string): Evidence => ({
  runId,
  did: 'read',
  subject: 'x',
});

const handed = aRun(heldBy('other', { ...ENDED, handed_to: 'another' }), {
  runId: 'handed',
});
const synced = aRun(
  { workflow: 'Synced', from_sync: true },
  { runId: 'synced' },
);
const taken = aRun(
  { workflow: 'Taken', ...heldBy('other') },
  { runId: 'taken' },
);
const mine = aRun(
  { workflow: 'Mine', ...heldBy('me', ENDED) },
  { runId: 'mine' },
);
const paused = aRun(
  { status: 'paused', ...heldBy('other') },
  { runId: 'paused' },
);
const second = { ...plan, runId: 'plan2' };
const written = aRun(
  { workflow: 'Fed', source: { kind: 'plan', path: 'p', written: true } },
  { runId: 'written' },
);
const fed = aRun(
  {
    workflow: 'Fed',
    ...heldBy('other', ENDED),
    source: { kind: 'plan', path: 'f' },
  },
  { runId: 'fed' },
);
const lives = aRun({ ...fed.state, ...heldBy('other') }, { runId: 'fed' });
const fedSynced = aRun({ ...fed.state, from_sync: true }, { runId: 'fed' });
const since = (
  runId: string,
  history: SessionRecord[],
  holder: string | null = null,
): Run =>
  aRun(
    {
      workflow: runId,
      sessions: { current_session_id: holder, session_history: history },
    },
    { runId },
  );
const RELEASED = { released_at: minutesBefore(1) };
const letGo = since('letGo', [aRecord('other', RELEASED)]);
const givenUp = since('released', [aRecord('me', RELEASED)]);
const last = since(
  'last',
  [aRecord('me', ENDED), aRecord('other', ENDED)],
  'other',
);
const lost = since('lost', [aRecord('me', ENDED), aRecord('other')], 'other');
const given = (hold: Hold): Run =>
  aRun({ workflow: 'Given', ...heldBy('me'), hold }, { runId: 'given' });

const strong = (runId: string): Partial<Known> => ({
  transcript: evidenceFor(runId),
});
const weak = (runId: string): Partial<Known> => ({
  transcript: weakEvidenceFor(runId),
});
const AFTER: Partial<Known> = { former: 'other' };
const UNREAD: Partial<Known> = { transcript: 'not_read' };
const UNAVAILABLE: Partial<Known> = { transcript: 'unavailable' };
const STALE: Partial<Known> = { isStale: () => true };
const SEEN: Partial<Known> = { isSeenByOthers: () => true };
const SINCE: Partial<Known> = {
  isWrittenSinceStart: ({ runId }) => runId === 'fed',
};

type Case = [
  what: string,
  runs: Run[],
  fields: Partial<Known>,
  expected: string,
];

const cases: Record<string, Case[]> = {
  'the run of a session': [
    [
      'is the one it holds, whatever else there is',
      [hand, mine],
      strong('hand'),
      'mine held',
    ],
    ['was handed over by /clear', [hand, left], AFTER, 'left handed_over'],
    [
      'also if the end was never recorded',
      [hand, taken],
      AFTER,
      'taken handed_over',
    ],
    ['is not that of another', [taken], { former: 'another' }, 'none'],
    ['is handed over once', [handed, hand], AFTER, 'hand unclaimed'],
    [
      'is the one it holds, whatever was handed over',
      [left, mine],
      AFTER,
      'mine held',
    ],
    [
      'is the one it held last, if the holder is gone',
      [last, hand],
      UNREAD,
      'last held_last',
    ],
    ['is not that one if a live session has it now', [lost], {}, 'none'],
    [
      'is shown by the transcript',
      [plan, hand, left],
      strong('left'),
      'left evidence',
    ],
    ['is shown by what it read', [plan, hand], weak('plan'), 'plan evidence'],
    [
      'is not what another held and it only read',
      [left],
      weak('left'),
      'undecided',
    ],
    ['nor what another released', [letGo], weak('letGo'), 'undecided'],
    [
      'is then an unclaimed one',
      [letGo, plan],
      weak('letGo'),
      'plan unclaimed',
    ],
    ['is not one that a live session holds', [taken], strong('taken'), 'none'],
    ['is not one that it released', [givenUp], strong('released'), 'none'],
    [
      'is not one from another machine',
      [synced],
      strong('synced'),
      'undecided',
    ],
    [
      'is in progress',
      [paused],
      { ...strong('paused'), former: 'other' },
      'none',
    ],
  ],
  'a run that the session was given': [
    ...(['evidence', 'only', 'clear'] as const).flatMap((by): Case[] => [
      [
        `by ${by} yields to strong evidence`,
        [given({ by }), hand],
        strong('hand'),
        'hand evidence',
      ],
      [
        `by ${by} yields for one that another held`,
        [given({ by, own: true }), left],
        strong('left'),
        'left evidence',
      ],
      [
        `by ${by} does not once the session has changed it`,
        [given({ by, touched: true }), hand],
        strong('hand'),
        'given held',
      ],
    ]),
    [
      'by command does not',
      [given({ by: 'command' }), hand],
      strong('hand'),
      'given held',
    ],
    [
      'by asked_clear does not',
      [given({ by: 'asked_clear' }), hand],
      strong('hand'),
      'given held',
    ],
    ...(
      [
        ['weak evidence', hand, weak('hand')],
        ['no evidence', hand, {}],
        ['no transcript', hand, UNAVAILABLE],
        ['a run that a live session holds', taken, strong('taken')],
        ['a run that came from another machine', synced, strong('synced')],
        ['a run that the session released', givenUp, strong('released')],
      ] as const
    ).map(([what, other, fields]): Case => [
      `does not yield to ${what}`,
      [given({ by: 'only' }), other],
      fields,
      'given held',
    ]),
  ],
  'an unclaimed run': [
    ['is first a written one', [plan, local, hand], {}, 'hand unclaimed'],
    [
      'also one that a plan feeds by now',
      [plan, local, written],
      {},
      'written unclaimed',
    ],
    ['then that of the local file', [plan, local], {}, 'local unclaimed'],
    ['then a plan', [plan], {}, 'plan unclaimed'],
    ['is not one of several', [plan, second], {}, 'undecided'],
    [
      'is the newest written one without a transcript',
      [hand, terminal, plan],
      UNAVAILABLE,
      'terminal unclaimed',
    ],
    ['but not the newest plan', [plan, second], UNAVAILABLE, 'undecided'],
    ['is never taken outside a compaction', [hand], UNREAD, 'undecided'],
    ['is one that no session ever held', [left], {}, 'undecided'],
    ['is none that came from another machine', [synced], {}, 'undecided'],
    ['is not taken once it is stale', [hand], STALE, 'undecided'],
    ['may have had a holder, if written since', [fed], SINCE, 'fed unclaimed'],
    ['may not have had one, if written before', [fed], {}, 'undecided'],
    [
      'is undecided beside another of its class',
      [fed, plan],
      SINCE,
      'undecided',
    ],
    ['is not one that a live session holds', [lives], SINCE, 'none'],
    [
      'is not one written since on another machine',
      [fedSynced],
      SINCE,
      'undecided',
    ],
    [
      'is not one written since that is stale',
      [fed],
      { ...SINCE, ...STALE },
      'undecided',
    ],
    ['is never taken if others were seen since', [plan], SEEN, 'undecided'],
    ['nor if it was written since', [fed], { ...SINCE, ...SEEN }, 'undecided'],
    [
      'nor one of a later class',
      [hand, plan],
      { isSeenByOthers: ({ runId }) => runId === 'hand' },
      'undecided',
    ],
    [
      'nor the newest without a transcript',
      [hand, terminal],
      { ...UNAVAILABLE, ...SEEN },
      'undecided',
    ],
    [
      'unless the transcript shows it',
      [hand, plan],
      { ...strong('plan'), ...SEEN },
      'plan evidence',
    ],
  ],
};

describe.each(Object.entries(cases))('%s', (_what, rows) => {
  it.each(rows)('%s', (_, runs, fields, expected) => {
    const choice = chooseRun(known(runs, fields));
    const told =
      choice.kind === 'run'
        ? `${choice.run.runId} ${choice.reason.rule}`
        : choice.kind;
    expect(told).toBe(expected);
  });
});

it('lists written runs first where nothing decides, the newest first', () => {
  const choice = chooseRun(known([plan, hand, terminal]));
  const ids =
    choice.kind === 'undecided'
      ? choice.candidates.map(({ runId }) => runId)
      : [];
  expect(ids).toEqual(['terminal', 'hand', 'plan']);
});

it('never gives a session the run that another live session holds, or that another held last without evidence', () => {
  const someRun = fc.record({
    holder: fc.option(fc.constantFrom('me', 'a', 'b')),
    past: fc.subarray(['me', 'a', 'b']),
    ended: fc.boolean(),
    released: fc.boolean(),
    kind: fc.constantFrom(
      'cli' as const,
      'plan' as const,
      'local-file' as const,
    ),
    status: fc.constantFrom('in_progress' as const, 'paused' as const),
    by: fc.constantFrom(
      'command' as const,
      'evidence' as const,
      'only' as const,
    ),
  });
  fc.assert(
    fc.property(
      fc.array(someRun, { maxLength: 5 }),
      fc.nat(4),
      fc.constantFrom(
        'strong' as const,
        'weak' as const,
        'unavailable' as const,
        'not_read' as const,
      ),
      (specs, shown, kind) => {
        const runs = specs.map(
          ({ holder, past, ended, released, kind: from, status, by }, at) => {
            const ids = [
              ...new Set([...past, ...(holder === null ? [] : [holder])]),
            ];
            const history = ids.map((id) =>
              aRecord(id, {
                ...(ended || id !== holder ? ENDED : {}),
                ...(released && id !== holder
                  ? { released_at: minutesBefore(2) }
                  : {}),
              }),
            );
            const sessions = {
              current_session_id: holder,
              session_history: history,
            };
            return aRun(
              {
                workflow: `W${at}`,
                status,
                sessions,
                ...(holder === null ? {} : { hold: { by } }),
                source:
                  from === 'cli'
                    ? { kind: from }
                    : { kind: from, path: `${at}` },
              },
              { runId: `w${at}` },
            );
          },
        );
        const transcript: Known['transcript'] =
          kind === 'strong'
            ? evidenceFor(`w${shown}`)
            : kind === 'weak'
              ? weakEvidenceFor(`w${shown}`)
              : kind;
        const input = known(runs, { transcript });
        const choice = chooseRun(input);
        if (choice.kind !== 'run') return;
        const { run, reason } = choice;
        expect(run.state.status).toBe('in_progress');
        expect([null, 'me']).toContain(liveHolder(run.state, input));
        const strangers = (run.state.sessions?.session_history ?? []).filter(
          (record) => record.session_id !== 'me',
        );
        const isMine = (run.state.sessions?.session_history ?? []).some(
          (record) =>
            record.session_id === 'me' && record.released_at === undefined,
        );
        if (strangers.length > 0 && !isMine) {
          expect(reason.rule).toBe('evidence');
          expect(kind).toBe('strong');
        }
        if (kind === 'not_read') expect(isMine).toBe(true);
      },
    ),
  );
});

it.each<[string, Hold | undefined, boolean, Hold]>([
  ['by evidence', { by: 'evidence', touched: true }, false, { by: 'clear' }],
  [
    'that the session started',
    { by: 'command', own: true },
    false,
    { by: 'clear', own: true },
  ],
  [
    'whose step asked for it',
    { by: 'command', own: true },
    true,
    { by: 'asked_clear', own: true },
  ],
  ['of an earlier version', undefined, false, { by: 'clear' }],
])('a /clear hands over a run %s', (_which, before, isAsked, after) => {
  const { state } = aRun({
    ...heldBy('before', ENDED),
    ...(before && { hold: before }),
  });
  expect(
    takeOverRun(state, 'after', { hostname: HERE }, NOW, isAsked).hold,
  ).toEqual(after);
});
