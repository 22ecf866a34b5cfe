import { describe, expect, it } from 'vitest';
import { mergeSides, type MergeResult, type Side } from '../../../src/remote/merge.ts';
import type { Snapshot } from '../../../src/remote/snapshot.ts';
import { parseRun } from '../../../src/workflow/run.ts';
import { startTemplateRun, machineOf, withMachine } from '../../../src/workflow/template-run.ts';
import type { RunState, SessionRecord } from '../../../src/state/types.ts';
import { aPhase, aState, NOW } from '../../support/runs.ts';

const EARLY = '2025-06-01T10:00:00.000Z';
const LATE = '2025-06-01T11:00:00.000Z';

function snapshot(fields: Partial<RunState> = {}, rest: Partial<Snapshot> = {}): Snapshot {
  return {
    state: aState({ sessions: { current_session_id: null, session_history: [] }, ...fields }),
    slug: 'feature',
    endedAt: null,
    machines: {},
    journals: {},
    ...rest,
  };
}

function writtenBy(machine: string, writes = 1): Snapshot['machines'] {
  return { [machine]: { version: '1.0.0', writes, at: EARLY } };
}

function record(session: string, machine: string, started_at = EARLY): SessionRecord {
  return { session_id: session, started_at, environment: { machine } };
}

function heldOn(machine: string, session = `s-${machine}`): Partial<RunState> {
  return {
    sessions: { current_session_id: session, session_history: [record(session, machine)] },
  };
}

function side(commit: string, at: string, content: Snapshot): Side {
  return { commit, at, snapshot: content };
}

/** Merges in both orders, which must not matter. */
function merge(
  base: Snapshot | null,
  a: Snapshot,
  b: Snapshot,
  times = [EARLY, LATE],
): MergeResult {
  const [left, right] = [side('aaaa', times[0] ?? '', a), side('bbbb', times[1] ?? '', b)];
  const before = base === null ? null : { commit: 'cccc', snapshot: base };
  const result = mergeSides(before, left, right);
  expect(mergeSides(before, right, left)).toEqual(result);
  return result;
}

describe('of two commits of the same second', () => {
  const advanced = (milliseconds: string): string =>
    JSON.stringify({ at: `2025-06-01T11:00:00.${milliseconds}Z`, event: 'advanced' });
  const [earlier, later] = [advanced('100'), advanced('900')];

  it.each([
    ['the first', [earlier, later], [earlier], 'a'],
    ['the second', [earlier], [earlier, later], 'b'],
  ])('the one with the later event wins: %s', (_name, one, two, kept) => {
    const a = snapshot({ context: { by: 'a' } }, { journals: { m1: one } });
    const b = snapshot({ context: { by: 'b' } }, { journals: { m1: two } });
    expect(merge(null, a, b, [LATE, LATE]).snapshot.state.context).toEqual({ by: kept });
  });
});

describe('different fields', () => {
  const base = snapshot({ context: { a: 1, b: 1, gone: 1 }, key_reminders: ['x', 'y'] });

  it('merge, and lists unite', () => {
    const a = snapshot({ context: { a: 2, b: 1 }, key_reminders: ['x', 'y', 'z'] });
    const b = snapshot({ context: { a: 1, b: 2, gone: 1 }, key_reminders: ['y', 'w'] });
    const { snapshot: merged, conflicts } = merge(base, a, b);
    expect(merged.state.context).toEqual({ a: 2, b: 2 });
    expect(new Set(merged.state.key_reminders)).toEqual(new Set(['y', 'z', 'w']));
    expect(conflicts).toEqual([]);
  });

  it('what one side removed and the other changed stays', () => {
    const a = snapshot({ context: { a: 1, b: 1 }, key_reminders: ['x', 'y'] });
    const b = snapshot({ context: { a: 1, b: 1, gone: 2 }, key_reminders: ['x', 'y'] });
    expect(merge(base, a, b).snapshot.state.context).toEqual({ a: 1, b: 1, gone: 2 });
  });

  it('keys that are names of inherited properties are keys', () => {
    const facts = JSON.parse('{"__proto__": 1, "constructor": 2}');
    const { snapshot: merged } = merge(base, snapshot({ context: facts }), snapshot());
    expect(Object.keys(merged.state.context ?? {})).toEqual(['__proto__', 'constructor']);
  });

  it('fields of a newer version merge like any other', () => {
    const a = snapshot({ ...base.state, future: { x: 1 } });
    const b = snapshot({ ...base.state, future: { y: 2 } });
    expect(merge(base, a, b).snapshot.state['future']).toEqual({ x: 1, y: 2 });
  });
});

describe('the same field', () => {
  const base = snapshot({ ...heldOn('aa'), context: { owner: 'nobody' } });
  const a = snapshot({ ...heldOn('aa'), context: { owner: 'ann' } }, { machines: writtenBy('aa') });
  const b = snapshot({ ...heldOn('aa'), context: { owner: 'bob' } }, { machines: writtenBy('bb') });

  it("has the holder's value, and the other is kept and named", () => {
    const { snapshot: merged, conflicts } = merge(base, a, b);
    expect(merged.state.context).toEqual({ owner: 'ann' });
    expect(conflicts).toEqual([{ field: 'context.owner', kept: 'ann', other: 'bob' }]);
    expect(merged.journals['merge']).toEqual([
      `{"at":"${LATE}","commit":"bbbb","event":"conflict","field":"context.owner","kept":"ann","other":"bob","since":"cccc"}`,
    ]);
  });

  it('has the later value where nobody holds the run', () => {
    const free = (owner: string, machine: string): Snapshot =>
      snapshot({ context: { owner } }, { machines: writtenBy(machine) });
    const merged = merge(snapshot(), free('ann', 'aa'), free('bob', 'bb'));
    expect(merged.snapshot.state.context).toEqual({ owner: 'bob' });
  });

  it('is no conflict if both say the same', () => {
    const same = snapshot({ ...b.state, context: { owner: 'ann' } }, { machines: writtenBy('bb') });
    expect(merge(base, a, same).conflicts).toEqual([]);
  });
});

describe('phases', () => {
  const phases = ['Design', 'Build', 'Ship'];
  const at = (current: number, list = phases): Partial<RunState> => ({
    phases: list,
    phase: aPhase({ current, total: list.length, name: list[current - 1] ?? '' }),
  });
  const base = snapshot(at(1));

  it('the side that moved counts', () => {
    expect(merge(base, snapshot(at(2)), snapshot(at(1))).snapshot.state.phase.current).toBe(2);
  });

  it('of two that moved to different phases the winner counts, and the other is named', () => {
    const { snapshot: merged, conflicts } = merge(base, snapshot(at(3)), snapshot(at(2)));
    expect(merged.state.phase.name).toBe('Build');
    expect(conflicts).toMatchObject([{ field: 'phase', other: { name: 'Ship' } }]);
  });

  it('without a common ancestor the further one counts', () => {
    const { snapshot: merged, conflicts } = merge(null, snapshot(at(3)), snapshot(at(2)));
    expect(merged.state.phase.name).toBe('Ship');
    expect(conflicts).toEqual([]);
  });

  it('a phase is followed by its name when the other side changes the list', () => {
    const moved = snapshot({ ...at(2), skipped: { '3': 'not now' } });
    const longer = snapshot(at(2, ['Research', 'Design', 'Build', 'Ship']));
    const {
      snapshot: { state },
      conflicts,
    } = merge(base, moved, longer);
    expect(state.phases).toEqual(['Research', 'Design', 'Build', 'Ship']);
    expect(state.phase).toMatchObject({ current: 3, total: 4, name: 'Build' });
    expect(state.skipped).toEqual({ '4': 'not now' });
    expect(conflicts).toEqual([]);
  });

  it.each([
    ['renamed the current phase', ['Plan', 'Build', 'Ship'], ['Draft', 'Build', 'Ship']],
    ['renamed different phases', ['Design', 'Build', 'Go'], ['Design', 'Code', 'Ship']],
    ['renamed all phases', ['Plan', 'Make', 'Go'], ['Draft', 'Code', 'Send']],
    ['added a phase', ['Design', 'Test', 'Build', 'Ship'], ['Design', 'Build', 'Ship', 'Announce']],
    ['removed and renamed one', ['Design', 'Ship'], ['Design', 'Code', 'Ship']],
  ])("both %s: the winner's list counts, and the other is told", (_what, one, two) => {
    const [a, b] = [one, two].map((list) => snapshot(at(1, list)));
    if (a === undefined || b === undefined) throw new Error('there are two sides');
    const { snapshot: merged, conflicts } = merge(base, a, b);
    expect(merged.state.phases).toEqual(two);
    expect(merged.state.phase).toEqual(aPhase({ total: two.length, name: two[0] ?? '' }));
    expect(merged.state.skipped).toBeUndefined();
    expect(conflicts).toEqual([{ field: 'phases', kept: two, other: one }]);
  });

  it('a skipped phase that got two names stays one that is skipped', () => {
    const skipped = { '2': 'not now' };
    const [a, b] = ['Make', 'Code'].map((name) => ['Design', name, 'Ship']);
    const { snapshot: merged, conflicts } = merge(
      snapshot({ ...at(3), skipped }),
      snapshot({ ...at(3, a), skipped }),
      snapshot({ ...at(3, b), skipped }),
    );
    expect(merged.state).toMatchObject({ phases: b, skipped, phase: { current: 3, total: 3 } });
    expect(conflicts).toEqual([{ field: 'phases', kept: b, other: a }]);
  });

  it('without a common ancestor, too', () => {
    const [a, b] = ['Plan', 'Draft'].map((name) => at(1, [name, 'Build', 'Ship']));
    const { snapshot: merged, conflicts } = merge(null, snapshot(a), snapshot(b));
    expect(merged.state.phases).toEqual(b?.phases);
    expect(conflicts).toEqual([{ field: 'phases', kept: b?.phases, other: a?.phases }]);
  });

  it('the mark of a skipped phase that is removed does not pass to another one', () => {
    const a = snapshot(at(1, ['Design', 'Ship']));
    const b = snapshot({ ...at(1), skipped: { '2': 'not now' } });
    const { phases: list, skipped } = merge(base, a, b).snapshot.state;
    expect({ list, skipped }).toEqual({ list: ['Design', 'Ship'], skipped: undefined });
  });

  it('a run whose phase the other side removed is in one that is in the list', () => {
    const a = snapshot(at(1, ['Design', 'Build']));
    const { phases: list, phase } = merge(base, a, snapshot(at(3))).snapshot.state;
    expect({ list, phase }).toMatchObject({
      list: ['Design', 'Build'],
      phase: { current: 2, total: 2, name: 'Build' },
    });
  });

  it('a phase that one side put before where the other has moved to is not done', () => {
    const a = snapshot(at(1, ['Design', 'Review', 'Build', 'Ship']));
    const { phase, skipped } = merge(base, a, snapshot(at(3))).snapshot.state;
    expect(phase).toMatchObject({ current: 4, name: 'Ship' });
    expect(skipped).toEqual({ '2': 'added later' });
  });

  it('a skipped phase that one side went back to, but did not finish, is not done', () => {
    const skipped = { '1': 'not now' };
    const back = snapshot(at(1));
    const { phase, skipped: marks } = merge(
      snapshot({ ...at(2), skipped }),
      back,
      snapshot({ ...at(3), skipped }),
    ).snapshot.state;
    expect({ phase, marks }).toMatchObject({ phase: { current: 3 }, marks: skipped });
  });

  it('one side blocks the phase, the other renames it: both count', () => {
    const a = snapshot({ ...at(1), phase: aPhase({ total: 3, status: 'blocked' }) });
    const b = snapshot({ ...at(1), phase: aPhase({ total: 3, name: 'Draft' }) });
    expect(merge(base, a, b).snapshot.state.phase).toMatchObject({
      status: 'blocked',
      name: 'Draft',
    });
  });
});

describe('machines that have written to the run', () => {
  it('are all known, each by its last write', () => {
    const a = { ...writtenBy('aa', 3), ...writtenBy('bb', 1) };
    const b = { ...writtenBy('bb', 2), ...writtenBy('cc', 1), ...writtenBy('aa', 2) };
    const { machines } = merge(
      snapshot(),
      snapshot({}, { machines: a }),
      snapshot({}, { machines: b }),
    ).snapshot;
    expect(machines).toEqual({
      ...writtenBy('aa', 3),
      ...writtenBy('bb', 2),
      ...writtenBy('cc', 1),
    });
  });
});

describe('a finished run', () => {
  const open = snapshot({ context: {} });
  const ended = snapshot({ status: 'completed' }, { endedAt: EARLY });

  it('stays finished while another machine goes on with it, and keeps what was done there', () => {
    const further = snapshot({ context: { found: 'a bug' } });
    const { snapshot: merged } = merge(open, ended, further);
    expect(merged.state.status).toBe('completed');
    expect(merged.endedAt).toBe(EARLY);
    expect(merged.state.context).toEqual({ found: 'a bug' });
  });

  it('that ended on both machines has ended when it did so first', () => {
    const later = snapshot({ status: 'completed' }, { endedAt: LATE });
    expect(merge(open, ended, later).snapshot.endedAt).toBe(EARLY);
  });

  it('is open again once it is reopened', () => {
    expect(merge(ended, ended, open).snapshot.state.status).toBe('in_progress');
    expect(merge(ended, ended, open).snapshot.endedAt).toBeNull();
  });

  it('is open if it was reopened on one machine after it had ended on another', () => {
    const reopened = snapshot({}, { journals: { aa: [`{"at":"${LATE}","event":"reopened"}`] } });
    expect(merge(open, reopened, ended).snapshot.state.status).toBe('in_progress');
    const before = snapshot({}, { journals: { aa: ['{"at":"2025-01-01","event":"reopened"}'] } });
    expect(merge(open, before, ended).snapshot.state.status).toBe('completed');
  });

  it('has the position of the side on which it ended', () => {
    const last = snapshot(
      { status: 'completed', phase: aPhase({ current: 5, status: 'completed' }) },
      { endedAt: EARLY },
    );
    const moved = snapshot({ phase: aPhase({ current: 2 }) });
    expect(merge(snapshot(), last, moved).snapshot.state.phase.current).toBe(5);
  });

  it('a reason goes with its status', () => {
    const paused = snapshot({ status: 'paused', status_reason: 'holidays' });
    expect(merge(open, paused, snapshot({ context: { a: 1 } })).snapshot.state).toMatchObject({
      status: 'paused',
      status_reason: 'holidays',
    });
    expect(merge(paused, paused, open).snapshot.state.status_reason).toBeUndefined();
  });
});

describe('the holder', () => {
  const holder = (result: MergeResult): unknown =>
    result.snapshot.state.sessions?.current_session_id;
  const base = snapshot(heldOn('aa'));

  it('is who took the run on another machine, also if the former one went on', () => {
    const followed = snapshot(heldOn('aa', 'after-clear'));
    expect(holder(merge(base, followed, snapshot(heldOn('bb'))))).toBe('s-bb');
  });

  it('is nobody after a release, unless somebody took it meanwhile', () => {
    const released = snapshot({
      sessions: { current_session_id: null, session_history: [record('s-aa', 'aa')] },
    });
    expect(holder(merge(base, released, base))).toBeNull();
    expect(holder(merge(base, released, snapshot(heldOn('bb'))))).toBe('s-bb');
  });

  it('of two that took it is the later one', () => {
    const taken = (machine: string, at: string): Snapshot =>
      snapshot({
        sessions: {
          current_session_id: `s-${machine}`,
          session_history: [record(`s-${machine}`, machine, at)],
        },
      });
    expect(holder(merge(base, taken('bb', LATE), taken('cc', EARLY)))).toBe('s-bb');
  });

  it('all sessions stay in the history', () => {
    const { sessions } = merge(base, base, snapshot(heldOn('bb'))).snapshot.state;
    expect(sessions?.session_history?.map(({ session_id: id }) => id)).toEqual(['s-aa', 's-bb']);
  });
});

describe('a template run', () => {
  const template = {
    name: 'T',
    description: 'd',
    steps: [
      { id: 'one', type: 'action' as const, instructions: 'a' },
      { id: 'two', type: 'action' as const, instructions: 'b' },
      { id: 'three', type: 'action' as const, instructions: 'c' },
    ],
  };
  const started = startTemplateRun(template, undefined, NOW, {
    inputs: {},
    facts: { context: {} },
  });
  const advanced = (state: RunState, output: string): RunState => {
    const machine = machineOf(state);
    if (machine === null) throw new Error('it has a machine');
    machine.advance(output);
    return withMachine(state, machine);
  };
  const first = advanced(started, 'from one');
  const second = advanced(first, 'from two');

  it('is never at a position that neither side had', () => {
    const { snapshot: merged, conflicts } = merge(
      snapshot(started),
      snapshot(advanced(started, 'another')),
      snapshot(second),
    );
    expect(() => parseRun(merged.state)).not.toThrow();
    expect(merged.state.machine?.['step']).toBe('three');
    expect(merged.state.machine?.['outputs']).toMatchObject({ one: 'from one', two: 'from two' });
    expect(conflicts.map(({ field }) => field)).toEqual(['position', 'machine.outputs.one']);
  });

  const edited = snapshot({ ...first, key_reminders: ['x'] });
  it.each([
    ['later', edited, snapshot(second)],
    ['earlier', snapshot(second), edited],
  ])('goes on where the one side went on, even if that is the %s one', (_which, a, b) => {
    const { snapshot: merged, conflicts } = merge(snapshot(first), a, b);
    expect(merged.state).toMatchObject({ machine: { step: 'three' }, key_reminders: ['x'] });
    expect(conflicts).toEqual([]);
  });
});
