import { describe, expect, it } from 'vitest';
import { MERGES } from '../../../src/sync/journals.ts';
import { mergeSides } from '../../../src/sync/merge.ts';
import { mergeHeads } from '../../../src/sync/plan.ts';
import type { Snapshot } from '../../../src/sync/commits.ts';
import { readJournal } from '../../../src/state/journal.ts';
import type {
  Note,
  RunState,
  SessionRecord,
} from '../../../src/state/types.ts';
import type { JsonObject } from '../../../src/text/json.ts';
import {
  machineOf,
  startTemplateRun,
  stateWithMachine,
} from '../../../src/state/template-run.ts';
import { Commits } from '../../support/machines.ts';
import { aPhase, aState, NOW } from '../../support/runs.ts';
import { draftRun, requireUsable } from '../../../src/state/run.ts';

const EARLY = '2025-06-01T10:00:00.000Z';
const LATE = '2025-06-01T11:00:00.000Z';

function snapshot(
  fields: Partial<RunState> = {},
  rest: Partial<Snapshot> = {},
): Snapshot {
  const sessions = { current_session_id: null, session_history: [] };
  const state = aState({ sessions, ...fields });
  return { state, endedAt: null, machines: {}, journals: {}, ...rest };
}

function writtenBy(machine: string, at: string): Partial<Snapshot> {
  return { machines: { [machine]: { version: '1.0.0', at } } };
}

function record(
  session: string,
  machine: string,
  started_at = EARLY,
): SessionRecord {
  return { session_id: session, started_at, environment: { machine } };
}

function heldOn(
  machine: string,
  session = `s-${machine}`,
  at = EARLY,
): Partial<RunState> {
  return {
    sessions: {
      current_session_id: session,
      session_history: [record(session, machine, at)],
    },
  };
}

/** Merges in both orders, which must not matter. The second side is the later one. */
function merge(base: Snapshot | null, a: Snapshot, b: Snapshot) {
  const early = {
    ...a,
    machines: { ...writtenBy('aa', EARLY).machines, ...a.machines },
  };
  const late = {
    ...b,
    machines: { ...writtenBy('bb', LATE).machines, ...b.machines },
  };
  const [left, right] = [
    { commit: 'aaaa', snapshot: early },
    { commit: 'bbbb', snapshot: late },
  ];
  const before = base === null ? null : { commit: 'cccc', snapshot: base };
  const merged = mergeSides(before, left, right);
  expect(mergeSides(before, right, left)).toEqual(merged);
  const conflicts = (merged.journals[MERGES] ?? [])
    .flatMap((line) => readJournal(line))
    .map(({ field, kept, other }) => ({ field, kept, other }));
  return { ...merged, conflicts };
}

describe('fields', () => {
  const base = { context: { a: 1, gone: 1 }, key_reminders: ['x', 'y'] };
  it.each<
    [
      rule: string,
      a: Partial<RunState>,
      b: Partial<RunState>,
      merged: JsonObject,
    ]
  >([
    [
      'different facts merge, and one that was removed is gone',
      { context: { a: 2 } },
      { context: { a: 1, gone: 1, b: 2 } },
      { context: { a: 2, b: 2 } },
    ],
    [
      'lists unite, without what one side removed',
      { key_reminders: ['x', 'y', 'z'] },
      { key_reminders: ['y', 'w'] },
      { key_reminders: ['y', 'w', 'z'] },
    ],
    [
      'what one side removed and the other changed stays',
      { context: { a: 1 } },
      { context: { a: 1, gone: 2 } },
      { context: { a: 1, gone: 2 } },
    ],
    [
      'fields of a newer version merge',
      { future: { x: 1 } },
      { future: { y: 2 } },
      { future: { x: 1, y: 2 } },
    ],
    [
      'both say the same',
      { context: { a: 5 } },
      { context: { a: 5 } },
      { context: { a: 5 } },
    ],
  ])('%s', (_rule, a, b, merged) => {
    const { state, conflicts } = merge(
      snapshot(base),
      snapshot({ ...base, ...a }),
      snapshot({ ...base, ...b }),
    );
    expect(state).toMatchObject(merged);
    expect(conflicts).toEqual([]);
  });

  const owner = (name: string, holder?: string): Snapshot =>
    snapshot({
      ...(holder === undefined ? {} : heldOn(holder)),
      context: { owner: name },
    });
  it.each([
    ["the holder's value", 'aa', 'ann', 'bob'],
    ["the later holder's value", 'bb', 'bob', 'ann'],
    ['the later value where nobody holds the run', undefined, 'bob', 'ann'],
  ])(
    'of two values, %s counts, and the other is kept',
    (_rule, holder, kept, other) => {
      const result = merge(
        owner('nobody', holder),
        owner('ann', holder),
        owner('bob', holder),
      );
      expect(result.state.context).toEqual({ owner: kept });
      expect(result.conflicts).toEqual([
        { field: 'context.owner', kept, other },
      ]);
      const commit = kept === 'ann' ? 'bbbb' : 'aaaa';
      expect(result.journals[MERGES]).toEqual([
        `{"at":"${LATE}","commit":"${commit}","event":"conflict","field":"context.owner","kept":"${kept}","other":"${other}","since":"cccc"}`,
      ]);
    },
  );
});

describe('notes', () => {
  const note = (n: number, text: string, at = EARLY): Note => ({
    n,
    at,
    phase: '',
    text,
  });
  const first = note(1, 'first');
  const numbered = (notes: Note[], last = notes.length): Partial<RunState> => ({
    notes,
    last_note: last,
  });

  it.each<[rule: string, base: Note[], a: Note[], b: Note[], merged: Note[]]>([
    [
      'the later of two with the same number gets the next free one',
      [first],
      [first, note(2, 'late', LATE), note(3, 'also late', LATE)],
      [first, note(2, 'early', EARLY)],
      [
        first,
        note(2, 'early'),
        note(3, 'also late', LATE),
        note(4, 'late', LATE),
      ],
    ],
    [
      'a note that both have, under numbers of two merges, is one note with the later number',
      [first, note(2, 'x')],
      [first, note(3, 'x')],
      [first, note(2, 'x'), note(4, 'y')],
      [first, note(3, 'x'), note(4, 'y')],
    ],
    [
      'one that a side forgot is gone',
      [first, note(2, 'x')],
      [first],
      [first, note(2, 'x')],
      [first],
    ],
    [
      'one that was forgotten here and renumbered there is gone',
      [first, note(2, 'x')],
      [first],
      [first, note(2, 'y'), note(3, 'x')],
      [first, note(2, 'y')],
    ],
    [
      'one that both replaced has two successors',
      [first],
      [note(2, 'second', LATE)],
      [note(2, 'another')],
      [note(2, 'another'), note(3, 'second', LATE)],
    ],
  ])('%s', (_rule, base, a, b, merged) => {
    const highest = (...notes: Note[]): number =>
      Math.max(0, ...notes.map(({ n = 0 }) => n));
    const { state, conflicts } = merge(
      snapshot(numbered(base, highest(...base))),
      snapshot(numbered(a, highest(...base, ...a))),
      snapshot(numbered(b, highest(...base, ...b))),
    );
    expect(state.notes).toEqual(merged);
    expect(state.last_note).toBe(highest(...base, ...a, ...b, ...merged));
    expect(conflicts).toEqual([]);
  });

  it('keep their highest number, also where all are forgotten', () => {
    const { state } = merge(
      snapshot(numbered([first])),
      snapshot(numbered([], 1)),
      snapshot(numbered([first], 5)),
    );
    expect(state).toMatchObject({ notes: [], last_note: 5 });
  });

  it('are not there where no side has any', () => {
    expect(
      Object.keys(merge(snapshot(), snapshot(), snapshot()).state),
    ).not.toContain('notes');
  });
});

describe('a conflict says what differs', () => {
  const start = snapshot({ status: 'in_progress' });

  it('of two reasons of one status, the reasons', () => {
    const because = (reason: string): Snapshot =>
      snapshot({ status: 'paused', status_reason: reason });
    const { conflicts } = merge(
      start,
      because('holidays'),
      because('waiting for the key'),
    );
    expect(conflicts).toEqual([
      {
        field: 'status_reason',
        kept: 'waiting for the key',
        other: 'holidays',
      },
    ]);
  });

  it('of two places in one phase, what was skipped', () => {
    const phase = aPhase({ current: 2, total: 3 });
    const skipping = (why: string): Snapshot =>
      snapshot({ phase, skipped: { '1': why } });
    const { conflicts } = merge(
      start,
      skipping('no time'),
      skipping('not needed'),
    );
    expect(conflicts).toEqual([
      {
        field: 'position',
        kept: { phase, skipped: { '1': 'not needed' } },
        other: { phase, skipped: { '1': 'no time' } },
      },
    ]);
  });

  it('of two texts that do not fit into a line, the part where they part', () => {
    const plan = (end: string): Snapshot =>
      snapshot({ context: { plan: `${'x'.repeat(5_000)}${end}` } });
    const [conflict] = merge(plan('?'), plan('one'), plan('two')).conflicts;
    expect(conflict?.kept).toMatch(/^…x+two"$/);
    expect(conflict?.other).toMatch(/^…x+one"$/);
  });
});

describe('the position', () => {
  const LIST = ['Design', 'Build', 'Ship'];
  const at = (current: number, list = LIST): Partial<RunState> => ({
    phases: list,
    phase: aPhase({
      current,
      total: list.length,
      name: list[current - 1] ?? '',
    }),
  });
  const longer = ['Research', ...LIST];
  it.each<
    [
      rule: string,
      base: Partial<RunState> | null,
      a: Partial<RunState>,
      b: Partial<RunState>,
      kept: JsonObject,
      told: boolean,
    ]
  >([
    ['the side that moved counts', at(1), at(2), at(1), at(2), false],
    [
      'the side that changed the list counts',
      at(1),
      at(2, longer),
      at(1),
      at(2, longer),
      false,
    ],
    ['of two that moved the winner counts', at(1), at(3), at(2), at(2), true],
    [
      'of two lists the winner counts',
      at(1),
      at(1, ['Plan', 'Build', 'Ship']),
      at(1, ['Draft', 'Build', 'Ship']),
      at(1, ['Draft', 'Build', 'Ship']),
      true,
    ],
    [
      'a list and a move are one field',
      at(1),
      at(2, longer),
      at(2),
      at(2),
      true,
    ],
    [
      'skipped phases belong to it',
      at(1),
      { ...at(1), skipped: { '2': 'later' } },
      at(1),
      { skipped: { '2': 'later' } },
      false,
    ],
    [
      'without a common ancestor the further one counts',
      null,
      at(3),
      at(2),
      at(3),
      false,
    ],
  ])('%s', (_rule, base, a, b, kept, told) => {
    const { state, conflicts } = merge(
      base && snapshot(base),
      snapshot({ ...a, context: { a: 1 } }),
      snapshot({ ...b, key_reminders: ['b'] }),
    );
    expect(state).toMatchObject({
      ...kept,
      context: { a: 1 },
      key_reminders: ['b'],
    });
    expect(conflicts.map(({ field }) => field)).toEqual(
      told ? ['position'] : [],
    );
  });

  it('the other one is told with its phase, and its list if that is another', () => {
    const { conflicts } = merge(
      snapshot(at(1)),
      snapshot(at(2, longer)),
      snapshot(at(2)),
    );
    expect(conflicts).toEqual([
      { field: 'position', kept: at(2), other: at(2, longer) },
    ]);
  });

  const template = {
    name: 'T',
    description: 'd',
    steps: ['one', 'two', 'three'].map((id) => ({
      id,
      type: 'action' as const,
      instructions: id,
    })),
  };
  const started = startTemplateRun(template, undefined, NOW, {
    inputs: {},
    facts: { context: {} },
  });
  const advanced = (state: RunState, output: string): RunState => {
    const machine = machineOf(draftRun(state));
    if (machine === null) throw new Error('it has a machine');
    machine.advance(output);
    return stateWithMachine(state, machine);
  };
  const two = advanced(started, 'from one');

  it('of a template run is never one that neither side had', () => {
    const other = advanced(started, 'another');
    const { state, conflicts } = merge(
      snapshot(started),
      snapshot(other),
      snapshot(advanced(two, 'from two')),
    );
    expect(() => requireUsable(draftRun(state))).not.toThrow();
    expect(state.machine).toMatchObject({
      step: 'three',
      outputs: { one: 'from one' },
    });
    expect(conflicts).toMatchObject([
      {
        field: 'position',
        other: { machine: { outputs: { one: 'another' } } },
      },
    ]);
  });

  it.each([
    [
      'later',
      snapshot({ ...two, key_reminders: ['x'] }),
      snapshot(advanced(two, 'b')),
    ],
    [
      'earlier',
      snapshot(advanced(two, 'b')),
      snapshot({ ...two, key_reminders: ['x'] }),
    ],
  ])(
    'of a template run is that of the one side that went on, even if it is the %s one',
    (_, a, b) => {
      const { state, conflicts } = merge(snapshot(two), a, b);
      expect(state).toMatchObject({
        machine: { step: 'three' },
        key_reminders: ['x'],
      });
      expect(conflicts).toEqual([]);
    },
  );
});

describe('the end', () => {
  const open = snapshot({ phase: aPhase({ current: 1 }) });
  const moved = snapshot({
    phase: aPhase({ current: 2 }),
    context: { found: 'a bug' },
  });
  const ended = snapshot(
    { status: 'completed', phase: aPhase({ current: 5, status: 'completed' }) },
    { endedAt: EARLY },
  );
  const reopened = (at: string): Snapshot =>
    snapshot({}, { journals: { aa: [`{"at":"${at}","event":"reopened"}`] } });
  const paused = snapshot({ status: 'paused', status_reason: 'holidays' });
  it.each<
    [
      rule: string,
      base: Snapshot,
      a: Snapshot,
      b: Snapshot,
      state: JsonObject,
      endedAt: string | null,
    ]
  >([
    [
      'stays, and the work of another machine is kept',
      open,
      ended,
      moved,
      {
        status: 'completed',
        phase: ended.state.phase,
        context: { found: 'a bug' },
      },
      EARLY,
    ],
    [
      'on both machines is the later one',
      open,
      ended,
      snapshot(ended.state, { endedAt: LATE }),
      { status: 'completed' },
      LATE,
    ],
    [
      'is over once the run is reopened',
      ended,
      ended,
      open,
      { status: 'in_progress' },
      null,
    ],
    [
      'is over if the run was reopened later on another machine',
      open,
      reopened(LATE),
      ended,
      { status: 'in_progress' },
      null,
    ],
    [
      'stays if it was reopened before that',
      open,
      reopened('2025-01-01'),
      ended,
      { status: 'completed' },
      EARLY,
    ],
    [
      'a reason goes with its status',
      open,
      paused,
      moved,
      { status: 'paused', status_reason: 'holidays' },
      null,
    ],
    [
      'and leaves with it',
      paused,
      paused,
      snapshot(),
      { status: 'in_progress' },
      null,
    ],
  ])('%s', (_rule, base, a, b, state, endedAt) => {
    const merged = merge(base, a, b);
    expect(merged.state).toMatchObject(state);
    expect(merged.state.status_reason).toBe(state['status_reason']);
    expect(merged.endedAt).toBe(endedAt);
  });
});

describe('the holder', () => {
  const base = snapshot(heldOn('aa'));
  const free = snapshot({
    sessions: {
      current_session_id: null,
      session_history: [record('s-aa', 'aa')],
    },
  });
  it.each([
    [
      'is who took the run on another machine, also if the former one went on',
      snapshot(heldOn('aa', 'after-clear')),
      snapshot(heldOn('bb')),
      's-bb',
    ],
    ['is nobody after a release', free, base, null],
    ['is who took it after a release', free, snapshot(heldOn('bb')), 's-bb'],
    [
      'of two that took it is the later one',
      snapshot(heldOn('bb', 's-bb', LATE)),
      snapshot(heldOn('cc')),
      's-bb',
    ],
  ])('%s', (_rule, a, b, holder) => {
    const { sessions } = merge(base, a, b).state;
    expect(sessions?.current_session_id).toBe(holder);
  });
});

describe('heads of a run', () => {
  /** Commits of one run with one fact after the other. */
  function history() {
    const commits = new Commits();
    let seconds = 0;
    const write = (context: JsonObject, ...parents: string[]): string => {
      const at = new Date(
        Date.UTC(2025, 0, 1, 0, 0, (seconds += 1)),
      ).toISOString();
      return commits.write(snapshot({ context }, writtenBy('aa', at)), parents);
    };
    const merged = (a: string, b: string): string => mergeHeads(commits, a, b);
    return { commits, write, merged };
  }

  it('two machines that merge them in any order make the same commit, which continues both', () => {
    const { commits, write, merged } = history();
    const base = write({ a: 1, b: 1 });
    const [one, two] = [
      write({ a: 2, b: 1 }, base),
      write({ a: 1, b: 2 }, base),
    ];
    const both = merged(one, two);
    expect(merged(two, one)).toBe(both);
    for (const head of [one, two])
      expect(commits.continues(both, head)).toBe(true);
  });
});
