import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RunState } from '../../../src/state/types.ts';
import { takeRun } from '../../support/contest.ts';
import { Commits, Machine, makeHub, WHOLE, type Hub } from '../../support/machines.ts';
import { repetitions } from '../../support/repetitions.ts';
import { aPhase, aState } from '../../support/runs.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { defectsOf, sharedState, simulateLife } from '../../support/simulation.ts';

const MACHINES = ['aaaaaaaa', 'bbbbbbbb', 'cccccccc', 'dddddddd', 'eeeeeeee'];
const PHASES = ['Design', 'Build', 'Ship'];

type Action =
  | { kind: 'edit'; machine: number; edit: (state: RunState, at: string, name: string) => RunState }
  | { kind: 'add'; machine: number }
  | { kind: 'sync'; machine: number; stages: number };

const key = fc.constantFrom('owner', 'branch', 'ticket', '__proto__');
const value = fc.constantFrom<unknown>(1, 2, 'x', ['a'], { deep: 1 }, null);
const edit = fc.oneof(
  fc.tuple(key, value).map(([name, fact]) => (state: RunState): RunState => ({
    ...state,
    context: Object.fromEntries([...Object.entries(state.context ?? {}), [name, fact]]),
  })),
  key.map((name) => (state: RunState): RunState => ({
    ...state,
    context: Object.fromEntries(
      Object.entries(state.context ?? {}).filter(([known]) => known !== name),
    ),
  })),
  fc.integer({ min: 1, max: 3 }).map((current) => (state: RunState): RunState => {
    const list = state.phases ?? PHASES;
    const at = Math.min(current, list.length);
    const phase = aPhase({ current: at, total: list.length, name: list[at - 1] ?? '' });
    return { ...state, phase };
  }),
  fc.constantFrom('Test', 'Review').map((name) => (state: RunState): RunState => {
    const list = state.phases ?? PHASES;
    if (list.includes(name)) return state;
    const phases = [...list, name];
    return { ...state, phases, phase: { ...state.phase, total: phases.length } };
  }),
  fc.constantFrom('Plan', 'Draft').map((name) => (state: RunState): RunState => {
    const { current } = state.phase;
    const phases = (state.phases ?? PHASES).with(current - 1, name);
    return { ...state, phases, phase: { ...state.phase, name } };
  }),
  fc.constantFrom('a', 'b', 'c').map((text) => (state: RunState): RunState => ({
    ...state,
    key_reminders: (state.key_reminders ?? []).filter((reminder) => reminder !== text),
  })),
  fc
    .constantFrom('paused', 'in_progress', 'failed')
    .map((status) => (state: RunState): RunState => ({
      ...state,
      status: status === 'paused' || status === 'failed' ? status : 'in_progress',
    })),
  fc.constant((state: RunState, at: string, name: string): RunState => {
    const time = at.replaceAll(/\D/g, '').slice(8, 14);
    return takeRun(state, { session: `${name.slice(0, 2)}${time}-session`, machine: name }, at);
  }),
);
const machine = fc.nat(MACHINES.length - 1);
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constant('edit' as const), machine, edit }),
  fc.record({ kind: fc.constant('add' as const), machine }),
  fc.record({
    kind: fc.constant('sync' as const),
    machine,
    stages: fc.integer({ min: 0, max: 6 }),
  }),
);

interface World {
  machines: Machine[];
  commits: Commits;
  hub: Hub;
  added: string[];
}

function play(actions: readonly Action[]): World {
  const commits = new Commits();
  const hub = makeHub();
  const machines = MACHINES.map((name) => new Machine(name, commits, hub));
  const added: string[] = [];
  const [first] = machines;
  const start = '2025-01-01T00:00:00.000Z';
  first?.start(
    start,
    aState({ phases: PHASES, phase: aPhase({ total: 3 }), key_reminders: ['a', 'b'] }),
  );
  first?.sync(start, 6);
  actions.forEach((step, index) => {
    const at = new Date(Date.UTC(2025, 0, 1, 0, 0, index + 1)).toISOString();
    const one = machines[step.machine];
    if (one === undefined) return;
    if (step.kind === 'sync') one.sync(at, step.stages);
    else if (step.kind === 'edit')
      one.edit(at, (state) => step.edit(state, at, one.place.machine), `edit-${index}`);
    else if (one.state !== null) {
      const reminder = `rule ${index}`;
      added.push(reminder);
      one.edit(
        at,
        (state) => ({ ...state, key_reminders: [...(state.key_reminders ?? []), reminder] }),
        `add-${index}`,
      );
    }
  });
  return { machines, commits, hub, added };
}

/** Everybody is online and nobody works: as many rounds as it takes. */
function settle({ machines }: World): void {
  const at = '2025-02-01T00:00:00.000Z';
  for (let round = 0; round < 3; round += 1) for (const one of machines) one.sync(at, 6);
}

it('five machines that edit, sync and lose their connection in any order end with the same run', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const world = play(actions);
      settle(world);
      const [first, ...rest] = world.machines;
      if (first === undefined) throw new Error('there are machines');
      for (const other of rest) {
        expect(other.head).toBe(first.head);
        expect(sharedState(other)).toEqual(sharedState(first));
      }
      expect(world.hub.tracking).toBe(first.head);
    }),
    { numRuns: repetitions(1_200) },
  );
});

it('nothing that was added anywhere is lost, neither entries nor events nor values', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const world = play(actions);
      const events = world.machines.map(({ journal }) => journal.map(({ event }) => event));
      settle(world);
      for (const one of world.machines) {
        const reminders = new Set(one.state?.key_reminders);
        expect(world.added.filter((reminder) => !reminders.has(reminder))).toEqual([]);
        const known = new Set(one.journal.map(({ event }) => event));
        expect(events.flat().filter((event) => !known.has(event))).toEqual([]);
      }
    }),
    { numRuns: repetitions(600) },
  );
});

it('once in step, syncing again changes nothing', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
      const world = play(actions);
      settle(world);
      const before = world.hub.tracking;
      const states = world.machines.map(sharedState);
      settle(world);
      expect(world.hub.tracking).toBe(before);
      expect(world.machines.map(sharedState)).toEqual(states);
    }),
    { numRuns: repetitions(400) },
  );
});

it('a value that lost is in the journal of every machine', () => {
  const commits = new Commits();
  const hub = makeHub();
  const [a, b] = MACHINES.map((name) => new Machine(name, commits, hub));
  if (a === undefined || b === undefined) throw new Error('there are machines');
  a.start('2025-01-01T00:00:00.000Z', aState());
  a.sync('2025-01-01T00:00:01.000Z', 6);
  b.sync('2025-01-01T00:00:02.000Z', 6);
  const set = (owner: string) => (state: RunState) => ({ ...state, context: { owner } });
  a.edit('2025-01-01T00:00:03.000Z', set('ann'), 'updated');
  b.edit('2025-01-01T00:00:04.000Z', set('bob'), 'updated');
  a.sync('2025-01-01T00:00:05.000Z', 6);
  b.sync('2025-01-01T00:00:06.000Z', 6);
  a.sync('2025-01-01T00:00:07.000Z', 6);
  for (const one of [a, b]) {
    expect(one.state?.context).toEqual({ owner: 'bob' });
    expect(one.journal).toContainEqual(
      expect.objectContaining({
        event: 'conflict',
        field: 'context.owner',
        kept: 'bob',
        other: 'ann',
      }),
    );
  }
});

it('a decision is told once on each machine, even if merges cross or a sync is killed after it', () => {
  const commits = new Commits();
  const hub = makeHub();
  const machines = MACHINES.slice(0, 3).map((name) => new Machine(name, commits, hub));
  const [a, b, c] = machines;
  if (a === undefined || b === undefined || c === undefined) throw new Error('there are machines');
  let seconds = 0;
  const at = (): string => new Date(Date.UTC(2025, 0, 1, 0, 0, (seconds += 1))).toISOString();
  const whole = (): void => {
    for (const one of [...machines, ...machines, ...machines]) {
      one.sync(at(), WHOLE);
      one.tell();
    }
  };
  a.start(at(), aState());
  whole();
  for (const _ of [1, 2]) {
    a.edit(at(), (state) => ({ ...state, context: { ...state.context, owner: 'ann' } }), 'updated');
    b.edit(at(), (state) => ({ ...state, context: { ...state.context, other: 1 } }), 'updated');
    c.edit(at(), (state) => ({ ...state, context: { ...state.context, owner: 'cid' } }), 'updated');
    // B and c merge what they know; neither is heard by the other, and c is killed once its state file is written.
    a.sync(at(), WHOLE);
    b.sync(at(), WHOLE - 2);
    c.sync(at(), WHOLE - 2);
    c.tell();
    whole();
    const decision = { field: 'context.owner', kept: 'cid', other: 'ann' };
    for (const one of machines) expect(one.told.splice(0)).toEqual([decision]);
    a.edit(at(), (state) => ({ ...state, context: {} }), 'updated');
    whole();
  }
});

/** Rounds in the life of one run; in each, all five machines do something. */
const ROUNDS = 25;
const LIVES = repetitions(160);

it(`${LIVES * ROUNDS} rounds with edits, takeovers, ends, reopenings, days that pass and lost connections: all agree, nothing is lost, the right value wins`, () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      expect(defectsOf(simulateLife(seededRandom(seed), ROUNDS))).toEqual([]);
    }),
    // A smaller seed is not a simpler life.
    { numRuns: LIVES, endOnFailure: true },
  );
});
