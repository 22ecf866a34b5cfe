import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseRun, type Known, type RunChoice } from '../../../src/sessions/choose-run.ts';
import { liveHolder } from '../../../src/sessions/holder.ts';
import type { StoredRun } from '../../../src/state/types.ts';
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
const evidenceFor = (runId: string): Known['transcript'] => ({
  kind: 'read',
  evidence: { runId, strength: 'strong', did: 'wrote', subject: 'x' },
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
    const left = aRun({ workflow: 'Left', sessions }, { runId: 'left' });
    expect(chosen(choose([left, hand], { transcript: { kind: 'not_read' } }))).toEqual([
      'left',
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
    const left = aRun({ workflow: 'Left', ...heldBy('other', ENDED) }, { runId: 'left' });
    expect(chosen(choose([plan, hand, left], { transcript: evidenceFor('left') }))).toEqual([
      'left',
      'evidence',
    ]);
  });

  it('is not one that a live session holds, whatever the transcript shows', () => {
    const taken = aRun({ workflow: 'T', ...heldBy('other') }, { runId: 't' });
    expect(chosen(choose([taken], { transcript: evidenceFor('t') }))).toBe('none');
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
    const left = aRun({ workflow: 'Left', ...heldBy('other', ENDED) }, { runId: 'left' });
    expect(chosen(choose([left]))).toBe('undecided');
    expect(chosen(choose([left, plan]))).toEqual(['plan', 'unclaimed']);
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
  });
  fc.assert(
    fc.property(
      fc.array(someRun, { maxLength: 5 }),
      fc.nat(4),
      fc.constantFrom('read', 'unavailable', 'not_read'),
      (specs, shown, kind) => {
        const runs = specs.map(({ holder, past, ended, released, kind: from, status }, at) => {
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
              source: from === 'cli' ? { kind: from } : { kind: from, path: `${at}` },
            },
            { runId: `w${at}` },
          );
        });
        const transcript: Known['transcript'] =
          kind === 'read'
            ? evidenceFor(`w${shown}`)
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
        if (strangers.length > 0 && !isMine) expect(reason.rule).toBe('evidence');
        if (kind === 'not_read') expect(isMine).toBe(true);
      },
    ),
  );
});
