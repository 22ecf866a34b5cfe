import { describe, expect, it } from 'vitest';
import { arrivedState } from '../../../src/sync/applied-state.ts';
import {
  toSnapshot,
  type LocalRun,
  type Place,
} from '../../../src/sync/portable.ts';
import {
  fromFiles,
  sameContent,
  toFiles,
  type Snapshot,
} from '../../../src/sync/commits.ts';
import type { RunState } from '../../../src/state/types.ts';
import { aRecord, aState, NOW } from '../../support/runs.ts';

const SESSION = '0199b8a4-7c7e-7e5d-8f6d-3a5d5f0e9a11';
const HERE: Place = {
  machine: 'aaaaaaaa',
  version: '1.0.0',
  paths: [
    ['/home/ann/work/shop', '.'],
    ['/home/ann', '~'],
  ],
};
const THERE: Place = {
  machine: 'bbbbbbbb',
  version: '1.0.0',
  paths: [['/root/shop', '.']],
};

function run(
  fields: Partial<RunState> = {},
  rest: Partial<LocalRun> = {},
): LocalRun {
  return {
    runId: 'feature-20250501_080000',
    state: aState(fields),
    journal: [],
    at: NOW.toISOString(),
    ...rest,
  };
}

const held: Partial<RunState> = {
  sessions: {
    current_session_id: SESSION,
    session_history: [
      aRecord(SESSION, {
        environment: {
          hostname: 'anns-laptop',
          cwd: '/home/ann/elsewhere',
          claude_pid: '48151',
          claude_start: 'boot-1-2',
          checkout: 'c0ffee',
          git_commit: 'abc',
        },
        phases_completed: ['Design'],
      }),
    ],
  },
  context_metadata: { compaction_count: 3, artifacts_in_context: [] },
  revision: 17,
  updated_at: '2025-06-01T11:00:00.000Z',
  adopted: true,
  perform: 'auto',
  todo: { path: 'TODO.md', owned: true },
};

function sent(snapshot: Snapshot): string {
  return [...toFiles(snapshot).values()].join('');
}

describe('what leaves the machine', () => {
  const text = sent(
    toSnapshot(
      run(
        {
          ...held,
          key_reminders: [
            'logs are in /home/ann/work/shop/logs, not in /home/anna; cd /home/ann/work/shop && make',
          ],
          context: { notes: '/home/ann/notes.md', by: `session ${SESSION}` },
        },
        {
          journal: [
            {
              at: '2025-06-01T10:00:00.000Z',
              event: 'claimed',
              session_id: SESSION,
              from: SESSION,
            },
            {
              at: '2025-06-01T10:01:00.000Z',
              event: 'updated',
              changes: { set: ['port=8080'], setLocal: ['host=db-7.internal'] },
            },
          ],
        },
      ),
      null,
      HERE,
    ),
  );

  it('is nothing of this machine, of its sessions and of their values', () => {
    for (const secret of [
      SESSION,
      'anns-laptop',
      'elsewhere',
      '48151',
      'boot-1-2',
      'c0ffee',
      '/home/ann/',
      'port=8080',
      'db-7',
      'revision',
      'artifacts_in_context',
      'TODO.md',
      'perform',
    ])
      expect(text).not.toContain(secret);
  });

  it('is the rest, with what stands for paths and the beginning of session ids', () => {
    expect(text).toContain('logs are in logs, not in /home/anna; cd . && make');
    expect(text).toContain('~/notes.md');
    expect(text).toContain('session 0199b8a4');
    expect(text).toContain('"current_session_id": "0199b8a4"');
    expect(text).toContain('"machine": "aaaaaaaa"');
  });
});

describe('the journal', () => {
  const at = '2025-06-01T10:00:00.000Z';
  const noted = {
    at,
    event: 'noted',
    n: 3,
    text: 'NEW',
    replaces: 2,
    replaced_text: 'OLD',
  };
  const forgotten = { at, event: 'note_forgotten', n: 3, text: 'NEW' };

  it('is sent without the texts of notes, of which the state has those that count', () => {
    const { journals } = toSnapshot(
      run({}, { journal: [noted, forgotten] }),
      null,
      HERE,
    );
    expect(journals).toEqual({
      aaaaaaaa: [
        `{"at":"${at}","event":"note_forgotten","n":3}`,
        `{"at":"${at}","event":"noted","n":3,"replaces":2}`,
      ],
    });
  });

  it('keeps a line as version 0.1.0 sent it, so that the event is there once', () => {
    const old = { at, event: 'noted', text: 'OLD' };
    const journals = {
      aaaaaaaa: [`{"at":"${at}","event":"noted","text":"OLD"}`],
    };
    const base = { ...toSnapshot(run(), null, HERE), journals };
    expect(
      toSnapshot(run({}, { journal: [old] }), base, HERE).journals,
    ).toEqual(journals);
    // The same after the checkout was moved, which gives it another id.
    expect(
      toSnapshot(run({}, { journal: [old] }), base, THERE).journals,
    ).toEqual(journals);
  });
});

describe('sources', () => {
  it('what a plan said last here is not sent, because other checkouts have another plan', () => {
    const source = {
      kind: 'plan' as const,
      path: 'CLAUDE/Plan/1/PLAN.md',
      said: { workflow: 'F' },
    };
    expect(toSnapshot(run({ source }), null, HERE).state.source).toEqual({
      kind: 'plan',
      path: 'CLAUDE/Plan/1/PLAN.md',
    });
  });
});

it('what was stored is read again as it was', () => {
  const snapshot = toSnapshot(run(held), null, HERE);
  expect(fromFiles(toFiles(snapshot))).toEqual(snapshot);
});

describe('a run that came by sync', () => {
  const snapshot = toSnapshot(run(held), null, HERE);
  const arrived = arrivedState(snapshot);

  it('is sent back as it came', () => {
    const back = toSnapshot(run({ ...arrived }), snapshot, THERE);
    expect(sameContent(back, snapshot)).toBe(true);
  });
});

describe('a commit that is not a run of this version', () => {
  const files = toFiles(toSnapshot(run(), null, HERE));
  const machines =
    '"machines":{"aa":{"version":"9.1.0","at":"2025-01-01T00:00:00.000Z"}}';
  it.each<[what: string, path: string, text: string, why: RegExp]>([
    ['no run.json', 'run.json', '', /something else/],
    ['no JSON', 'state.json', '{', /something else/],
    ['another format', 'run.json', '{"format":"x"}', /something else/],
    ['deep nesting', 'state.json', '['.repeat(100_000), /something else/],
    [
      'a phase that is none',
      'state.json',
      '{"workflow":7,"phase":[]}',
      /cannot be read/,
    ],
    [
      'a newer format',
      'run.json',
      `{"format":2,${machines}}`,
      /newer version of holdfast \(9\.1\.0\)/,
    ],
    [
      'a newer state',
      'state.json',
      '{"schema_version":2}',
      /newer version of holdfast \(1\.0\.0\)/,
    ],
  ])('%s', (_what, path, text, why) => {
    expect(() => fromFiles(new Map([...files, [path, text]]))).toThrow(why);
  });
});
