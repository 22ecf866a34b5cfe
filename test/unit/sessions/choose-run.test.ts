import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseRun, type Known, type RunChoice } from '../../../src/sessions/choose-run.ts';
import { liveHolder } from '../../../src/sessions/holder.ts';
import type { Hold, StoredRun } from '../../../src/state/types.ts';
import { aRecord, aRun, heldBy, HERE, minutesBefore, NOW } from '../../support/runs.ts';

function known(runs: readonly StoredRun[], fields: Partial<Known> = {}): Known {
  return {
    now: NOW,
    hostname: HERE,
    session: 'me',
    runs,
    handedOver: null,
    transcript: { kind: 'read', evidence: null },
    isStale: () => false,
    ...fields,
  };
}

function choose(runs: readonly StoredRun[], fields: Partial<Known> = {}): RunChoice {
  return chooseRun(known(runs, fields));
}

function chosen(choice: RunChoice): [string, string] | string {
  return choice.kind === 'run' ? [choice.run.runId, choice.reason.rule] : choice.kind;
}

const ENDED = { ended_at: minutesBefore(5), end_reason: 'prompt_input_exit' };
const plan = aRun({ workflow: 'Plan', source: { kind: 'plan', path: 'p' } }, { runId: 'plan' });
const local = aRun(
  { workflow: 'Local', source: { kind: 'local-file', path: 'l' } },
  { runId: 'local' },
);
const hand = aRun({ workflow: 'Hand' }, { runId: 'hand', modifiedAt: 5 });
const terminal = aRun(
  { workflow: 'Cli', source: { kind: 'cli' } },
  { runId: 'terminal', modifiedAt: 9 },
);
const left = aRun({ workflow: 'Left', ...heldBy('other', ENDED) }, { runId: 'left' });
const evidenceFor = (runId: string): Known['transcript'] => ({
  kind: 'read',
  evidence: { runId, strength: 'strong', did: 'wrote', subject: 'x' },
});
const weakEvidenceFor = (runId: string): Known['transcript'] => ({
  kind: 'read',
  evidence: { runId, strength: 'weak', did: 'read', subject: 'x' },
});

it('a run that came from another machine is offered, never taken, whatever the session did', () => {
  const synced = aRun({ workflow: 'Synced', from_sync: true }, { runId: 'synced' });
  expect(chosen(choose([synced], { transcript: evidenceFor('synced') }))).toBe('undecided');
  expect(chosen(choose([synced]))).toBe('undecided');
});

it('a state file that somebody wrote stays before the local file and plans once a plan feeds it', () => {
  const fed = aRun(
    { workflow: 'Fed', source: { kind: 'plan', path: 'p', written: true } },
    { runId: 'fed' },
  );
  expect(chosen(choose([plan, local, fed]))).toEqual(['fed', 'unclaimed']);
});

describe('the run of a session', () => {
  it('is the one it holds, whatever else there is', () => {
    const mine = aRun({ workflow: 'Mine', ...heldBy('me', ENDED) }, { runId: 'mine' });
    expect(chosen(choose([hand, mine], { transcript: evidenceFor('hand') }))).toEqual([
      'mine',
      'held',
    ]);
  });

  it('is the one that /clear handed over', () => {
    const former = aRun({ workflow: 'F', ...heldBy('former', ENDED) }, { runId: 'f' });
    expect(chosen(choose([hand, former], { handedOver: former }))).toEqual(['f', 'handed_over']);
  });

  it('is the one it held last, also after another session that is gone held it', () => {
    const sessions = {
      current_session_id: 'other',
      session_history: [aRecord('me', ENDED), aRecord('other', ENDED)],
    };
    const last = aRun({ workflow: 'Last', sessions }, { runId: 'last' });
    expect(chosen(choose([last, hand], { transcript: { kind: 'not_read' } }))).toEqual([
      'last',
      'held_last',
    ]);
  });

  it('is not the one it held last if a live session has it now', () => {
    const sessions = {
      current_session_id: 'other',
      session_history: [aRecord('me', ENDED), aRecord('other')],
    };
    expect(chosen(choose([aRun({ sessions })]))).toBe('none');
  });

  it('is the one that the transcript shows', () => {
    expect(chosen(choose([plan, hand, left], { transcript: evidenceFor('left') }))).toEqual([
      'left',
      'evidence',
    ]);
    expect(chosen(choose([plan, hand], { transcript: weakEvidenceFor('plan') }))).toEqual([
      'plan',
      'evidence',
    ]);
  });

  const letGo = aRun(
    {
      workflow: 'Let go',
      sessions: {
        current_session_id: null,
        session_history: [aRecord('other', { released_at: minutesBefore(1) })],
      },
    },
    { runId: 'letGo' },
  );

  it.each([
    ['that ended', left],
    ['that released it', letGo],
  ])('is not one that another session held, %s, if this one only looked at it', (_, held) => {
    const transcript = weakEvidenceFor(held.runId);
    expect(chosen(choose([held], { transcript }))).toBe('undecided');
    expect(chosen(choose([held, plan], { transcript }))).toEqual(['plan', 'unclaimed']);
  });

  it('is not one that a live session holds, whatever the transcript shows', () => {
    const taken = aRun({ workflow: 'T', ...heldBy('other') }, { runId: 't' });
    expect(chosen(choose([taken], { transcript: evidenceFor('t') }))).toBe('none');
  });
});

describe('a run that the session was given', () => {
  const given = (hold: Hold): StoredRun =>
    aRun({ workflow: 'Given', ...heldBy('me'), hold }, { runId: 'given' });
  const GUESSES = ['evidence', 'only', 'clear'] as const;

  it.each(GUESSES)('by %s yields to strong evidence for another one', (by) => {
    const runs = [given({ by }), hand];
    expect(chosen(choose(runs, { transcript: evidenceFor('hand') }))).toEqual(['hand', 'evidence']);
    const others = [given({ by, own: true }), left];
    expect(chosen(choose(others, { transcript: evidenceFor('left') }))).toEqual([
      'left',
      'evidence',
    ]);
  });

  it.each(GUESSES)('by %s does not once the session has changed it', (by) => {
    const runs = [given({ by, touched: true }), hand];
    expect(chosen(choose(runs, { transcript: evidenceFor('hand') }))).toEqual(['given', 'held']);
  });

  it.each(['command', 'asked_clear'] as const)('by %s does not', (by) => {
    const runs = [given({ by }), hand];
    expect(chosen(choose(runs, { transcript: evidenceFor('hand') }))).toEqual(['given', 'held']);
  });

  it.each<[string, StoredRun, Partial<Known>]>([
    ['what was only looked at', hand, { transcript: weakEvidenceFor('hand') }],
    ['no evidence', hand, {}],
    ['a transcript that cannot be read', hand, { transcript: { kind: 'unavailable' } }],
    [
      'evidence for a run that a live session holds',
      aRun({ workflow: 'T', ...heldBy('other') }, { runId: 't' }),
      { transcript: evidenceFor('t') },
    ],
    [
      'evidence for a run that came from another machine',
      aRun({ workflow: 'S', from_sync: true }, { runId: 's' }),
      { transcript: evidenceFor('s') },
    ],
    [
      'evidence for a run that the session released',
      aRun(
        {
          workflow: 'R',
          sessions: { session_history: [aRecord('me', { released_at: minutesBefore(1) })] },
        },
        { runId: 'r' },
      ),
      { transcript: evidenceFor('r') },
    ],
  ])('does not yield to %s', (_, other, fields) => {
    expect(chosen(choose([given({ by: 'only' }), other], fields))).toEqual(['given', 'held']);
  });
});

describe('an unclaimed run', () => {
  it('is taken where it is the only one of its class, written ones before the local file before plans', () => {
    expect(chosen(choose([plan, local, hand]))).toEqual(['hand', 'unclaimed']);
    expect(chosen(choose([plan, local]))).toEqual(['local', 'unclaimed']);
    expect(chosen(choose([plan]))).toEqual(['plan', 'unclaimed']);
  });

  it('is not taken where there are several of its class', () => {
    const choice = choose([plan, hand, terminal]);
    expect(choice).toMatchObject({ kind: 'undecided' });
    expect(choice.kind === 'undecided' && choice.candidates.map(({ runId }) => runId)).toEqual([
      'terminal',
      'hand',
      'plan',
    ]);
  });

  it('is the newest of several written ones where no transcript can be read', () => {
    expect(chosen(choose([hand, terminal, plan], { transcript: { kind: 'unavailable' } }))).toEqual(
      ['terminal', 'unclaimed'],
    );
    const second = { ...plan, runId: 'plan2' };
    expect(chosen(choose([plan, second], { transcript: { kind: 'unavailable' } }))).toBe(
      'undecided',
    );
  });

  it('is never taken outside a compaction', () => {
    expect(chosen(choose([hand], { transcript: { kind: 'not_read' } }))).toBe('undecided');
  });

  it('is one that no session ever held', () => {
    expect(chosen(choose([left]))).toBe('undecided');
    expect(chosen(choose([left, plan]))).toEqual(['plan', 'unclaimed']);
  });

  describe('by the time its source was written', () => {
    const fed = aRun(
      { workflow: 'Fed', ...heldBy('other', ENDED), source: { kind: 'plan', path: 'f' } },
      { runId: 'fed' },
    );
    const isFed = ({ runId }: StoredRun): boolean => runId === 'fed';

    it.each<[string, StoredRun[], Partial<Known>, ReturnType<typeof chosen>]>([
      [
        'is one whose holder is gone, if that was since this session began',
        [fed],
        { isWrittenSinceStart: isFed },
        ['fed', 'unclaimed'],
      ],
      [
        'is not one whose holder is gone, if that was before',
        [fed],
        { isWrittenSinceStart: () => false },
        'undecided',
      ],
      [
        'is undecided beside another one of its class',
        [fed, plan],
        { isWrittenSinceStart: isFed },
        'undecided',
      ],
      [
        'is not one that a live session holds',
        [aRun({ ...fed.state, ...heldBy('other') }, { runId: 'fed' })],
        { isWrittenSinceStart: isFed },
        'none',
      ],
      [
        'is not one that came from another machine',
        [aRun({ ...fed.state, from_sync: true }, { runId: 'fed' })],
        { isWrittenSinceStart: isFed },
        'undecided',
      ],
      [
        'is not one that nothing has touched for long',
        [fed],
        { isWrittenSinceStart: isFed, isStale: () => true },
        'undecided',
      ],
      [
        'is never taken if others were seen since',
        [plan],
        { isSeenByOthers: () => true },
        'undecided',
      ],
      [
        'is taken if others were seen only before',
        [plan],
        { isSeenByOthers: () => false },
        ['plan', 'unclaimed'],
      ],
      [
        'is none of a later class where others were seen since the first was written',
        [hand, plan],
        { isSeenByOthers: ({ runId }) => runId === 'hand' },
        'undecided',
      ],
      [
        'is not one whose holder is gone either, if others were seen since',
        [fed],
        { isWrittenSinceStart: isFed, isSeenByOthers: isFed },
        'undecided',
      ],
      [
        'nor the newest of several where no transcript can be read',
        [hand, terminal],
        { transcript: { kind: 'unavailable' }, isSeenByOthers: () => true },
        'undecided',
      ],
      [
        'does not matter to what the transcript shows',
        [hand, plan],
        { transcript: evidenceFor('plan'), isSeenByOthers: () => true },
        ['plan', 'evidence'],
      ],
    ])('%s', (_, runs, fields, expected) => {
      expect(chosen(choose(runs, fields))).toEqual(expected);
    });
  });

  it('is not taken once it is stale', () => {
    expect(chosen(choose([hand], { isStale: () => true }))).toBe('undecided');
  });
});

it('gives nothing back to the session that released it', () => {
  const sessions = {
    current_session_id: null,
    session_history: [aRecord('me', { released_at: minutesBefore(1) })],
  };
  const released = aRun({ sessions }, { runId: 'r' });
  expect(chosen(choose([released], { transcript: evidenceFor('r') }))).toBe('none');
});

it('chooses nothing that is not in progress', () => {
  const paused = aRun({ status: 'paused', ...heldBy('me') }, { runId: 'p' });
  expect(chosen(choose([paused], { transcript: evidenceFor('p'), handedOver: paused }))).toBe(
    'none',
  );
});

it('never gives a session the run that another live session holds, or that another held last without evidence', () => {
  const someRun = fc.record({
    holder: fc.option(fc.constantFrom('me', 'a', 'b')),
    past: fc.subarray(['me', 'a', 'b']),
    ended: fc.boolean(),
    released: fc.boolean(),
    kind: fc.constantFrom('cli' as const, 'plan' as const, 'local-file' as const),
    status: fc.constantFrom('in_progress' as const, 'paused' as const),
    by: fc.constantFrom('command' as const, 'evidence' as const, 'only' as const),
  });
  fc.assert(
    fc.property(
      fc.array(someRun, { maxLength: 5 }),
      fc.nat(4),
      fc.constantFrom('strong', 'weak', 'unavailable', 'not_read'),
      (specs, shown, kind) => {
        const runs = specs.map(({ holder, past, ended, released, kind: from, status, by }, at) => {
          const ids = [...new Set([...past, ...(holder === null ? [] : [holder])])];
          const history = ids.map((id) =>
            aRecord(id, {
              ...(ended || id !== holder ? ENDED : {}),
              ...(released && id !== holder ? { released_at: minutesBefore(2) } : {}),
            }),
          );
          const sessions = { current_session_id: holder, session_history: history };
          return aRun(
            {
              workflow: `W${at}`,
              status,
              sessions,
              ...(holder === null ? {} : { hold: { by } }),
              source: from === 'cli' ? { kind: from } : { kind: from, path: `${at}` },
            },
            { runId: `w${at}` },
          );
        });
        const transcript: Known['transcript'] =
          kind === 'strong'
            ? evidenceFor(`w${shown}`)
            : kind === 'weak'
              ? weakEvidenceFor(`w${shown}`)
              : { kind: kind === 'unavailable' ? kind : 'not_read' };
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
          (record) => record.session_id === 'me' && record.released_at === undefined,
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
