import { canonicalJson } from '../../src/remote/canonical-json.ts';
import { isEnded } from '../../src/remote/portable.ts';
import type { RunState } from '../../src/state/types.ts';
import { Commits, Machine, makeHub, type Hub } from './machines.ts';
import { aPhase, aState } from './runs.ts';
import type { Random } from './seeded-random.ts';

export interface Simulated {
  machines: Machine[];
  hub: Hub;
  /** What was added to a list and never removed. */
  added: string[];
  /** Events of all journals, each with its time. */
  events: string[];
  /** How often a connection was lost at some point of a sync. */
  losses: number;
  /** How often the run was ended or reopened. */
  ends: number;
  commits: number;
}

const NAMES = ['aaaaaaaa', 'bbbbbbbb', 'cccccccc', 'dddddddd', 'eeeeeeee'];
const PHASES = ['Design', 'Build', 'Review', 'Ship'];
/** A sync that nothing interrupts. */
const WHOLE = 6;

/**
 * The life of one run on five machines. In a round each machine, in any order, edits the run, syncs, loses its
 * connection during a sync, or does nothing. Then everybody comes online and nobody works.
 */
export function simulateLife(random: Random, rounds: number): Simulated {
  const commits = new Commits();
  const hub = makeHub();
  const machines = NAMES.map((name) => new Machine(name, commits, hub));
  const life: Simulated = {
    machines,
    hub,
    added: [],
    events: [],
    losses: 0,
    ends: 0,
    commits: 0,
  };
  let clock = Date.UTC(2025, 0, 1);
  const tick = (): string => new Date((clock += 1_000)).toISOString();
  const [first] = machines;
  const start = tick();
  first?.start(start, aState({ phases: PHASES, phase: aPhase({ total: PHASES.length }) }));
  first?.sync(start, WHOLE);
  for (let round = 0; round < rounds; round += 1)
    for (const machine of random.shuffled(machines)) act(machine, random, life, tick());
  settle(life, tick);
  life.commits = commits.count;
  return life;
}

/** As many syncs as it takes until all have everything. */
export function settle({ machines }: Pick<Simulated, 'machines'>, tick: () => string): void {
  for (let time = 0; time < 3; time += 1)
    for (const machine of machines) machine.sync(tick(), WHOLE);
}

function act(machine: Machine, random: Random, life: Simulated, at: string): void {
  const what = random.below(10);
  if (what < 2) return;
  if (what < 5) {
    const stages = random.pick([WHOLE, WHOLE, random.below(WHOLE)]);
    if (stages < WHOLE) life.losses += 1;
    machine.sync(at, stages, random.below(4) === 0);
    return;
  }
  const { state } = machine;
  if (state === null) return;
  const write = (event: string, change: (before: RunState) => RunState): void => {
    life.events.push(`${at} ${event}`);
    machine.edit(at, change, event);
  };
  if (isEnded(state)) {
    if (random.below(3) > 0) return;
    life.ends += 1;
    write('reopened', (ended) => ({ ...ended, status: 'in_progress' }));
  } else if (random.below(25) === 0) {
    life.ends += 1;
    const status = random.pick(['completed', 'cancelled'] as const);
    write(status, (open) => ({ ...open, status }));
  } else {
    write('updated', edit(machine, random, life, at));
  }
}

function edit(
  { place }: Machine,
  random: Random,
  life: Simulated,
  at: string,
): (state: RunState) => RunState {
  const key = random.pick(['owner', 'branch', 'ticket', '__proto__']);
  const value = random.pick<unknown>([1, 2, 'x', ['a'], { deep: 1 }, null]);
  const without = (state: RunState): [string, unknown][] =>
    Object.entries(state.context ?? {}).filter(([name]) => name !== key);
  const step = random.below(PHASES.length) + 1;
  const session = `session-of-${place.machine}`;
  switch (random.below(7)) {
    case 0:
      return (state) => ({
        ...state,
        context: Object.fromEntries([...without(state), [key, value]]),
      });
    case 1:
      return (state) => ({ ...state, context: Object.fromEntries(without(state)) });
    case 2:
      return (state) => {
        const list = state.phases ?? PHASES;
        const current = Math.min(step, list.length);
        const name = list[current - 1] ?? '';
        return { ...state, phase: aPhase({ current, total: list.length, name }) };
      };
    case 3:
      return (state) => {
        const phases = [...new Set([...(state.phases ?? PHASES), 'Test'])];
        return { ...state, phases, phase: { ...state.phase, total: phases.length } };
      };
    case 4: {
      const status = random.pick(['paused', 'failed', 'in_progress'] as const);
      return (state) => ({ ...state, status });
    }
    case 5:
      return (state) => ({
        ...state,
        sessions: {
          current_session_id: session,
          session_history: [
            ...(state.sessions?.session_history ?? []).filter(
              ({ session_id: id }) => id !== session,
            ),
            { session_id: session, started_at: at, environment: { hostname: place.machine } },
          ],
        },
      });
    default: {
      const rule = `rule ${life.added.length}`;
      life.added.push(rule);
      return (state) => ({ ...state, key_reminders: [...(state.key_reminders ?? []), rule] });
    }
  }
}

/** The run without what belongs to one machine, such as the conflicts that it has yet to mention. */
export function sharedState({ state }: Machine): object | null {
  if (state === null) return null;
  const {
    conflicts: _untold,
    updated_at: _at,
    from_sync: _arrived,
    adopted: _adopted,
    source: _source,
    sessions,
    ...shared
  } = state;
  const holder = sessions?.current_session_id?.slice(0, 8);
  return { ...shared, holder, count: sessions?.session_history?.length };
}

/** What is wrong after everybody was online; empty if all machines agree and nothing is lost. */
export function defectsOf({ machines, hub, added, events }: Simulated): string[] {
  const head = hub.tracking ?? hub.ended;
  const reference = machines.find((machine) => machine.head === head);
  if (reference?.state === undefined || reference.state === null) return ['no machine has the run'];
  const { state } = reference;
  return machines.flatMap((machine) => {
    const name = machine.place.machine;
    if (machine.state === null)
      return isEnded(state) ? [] : [`${name} does not have the run, which is open`];
    const reminders = new Set(machine.state.key_reminders);
    const known = new Set(machine.journal.map((entry) => `${entry.at} ${entry.event}`));
    const isSame = canonicalJson(sharedState(machine)) === canonicalJson(sharedState(reference));
    return [
      ...(machine.head === head ? [] : [`${name} has another commit than the remote`]),
      ...(isSame ? [] : [`${name} has another state than ${reference.place.machine}`]),
      ...added.filter((rule) => !reminders.has(rule)).map((rule) => `${name} lost ${rule}`),
      ...events.filter((event) => !known.has(event)).map((event) => `${name} lost ${event}`),
    ];
  });
}
