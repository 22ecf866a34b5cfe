import { canonicalJson } from '../../src/text/json.ts';
import { isEnded } from '../../src/state/phases.ts';
import type { RunState } from '../../src/state/types.ts';
import { addNote, allNotes, removeNote } from '../../src/state/notes.ts';
import { Commits, Machine, makeHub, WHOLE, type Hub } from './machines.ts';
import { aPhase, aState } from './runs.ts';
import type { Random } from './seeded-random.ts';

/** The session that has the run, and where. */
type Holder = { session: string; machine: string };

export interface Simulated {
  machines: Machine[];
  hub: Hub;
  commits: Commits;
  /** What was added to a list and never removed. */
  added: string[];
  /**
   * The texts of notes: those that were written, those of them that were forgotten again, and those that were forgotten
   * where a sync had been killed between its commit and the note that the state file is in step with it. Nobody can tell
   * by then that the note was there before, so it may come back.
   */
  noted: { written: string[]; forgotten: string[]; mayReturn: string[] };
  /** Events of all journals, each with its time. */
  events: string[];
  /** What was wrong on the way. */
  defects: string[];
  counts: {
    /** How often a connection was lost at some point of a sync. */
    losses: number;
    /** How often the run was ended or reopened. */
    ends: number;
    /** How often a machine was replaced by a fresh clone. */
    replaced: number;
  };
}

const LETTERS = ['a', 'b', 'c', 'd', 'e'];
const PHASES = ['Design', 'Build', 'Review', 'Ship'];
const HOURS = 3_600_000;

/** How far a sync gets before it is killed: see `Machine`. */
const COMMITTED = 2;
const IN_STEP = 4;

/**
 * The life of one run on five machines. In a round each machine, in any order, edits the run, takes it, syncs, loses
 * its connection during a sync, or does nothing; days may pass, and a machine may be replaced by a fresh clone. Then
 * everybody comes online and nobody works.
 */
export function simulateLife(random: Random, rounds: number): Simulated {
  const world = new World(random);
  for (let round = 0; round < rounds; round += 1) {
    if (random.below(12) === 0) world.pass(30 * HOURS);
    for (const machine of random.shuffled(world.life.machines))
      world.act(machine);
  }
  world.settle();
  return world.life;
}

class World {
  readonly life: Simulated;
  #clock = Date.UTC(2025, 0, 1);
  #sessions = 0;
  /** Machines on which a sync was killed after its commit, and none has ended since. */
  readonly #killed = new Set<Machine>();

  constructor(private readonly random: Random) {
    const commits = new Commits();
    const hub = makeHub();
    this.life = {
      machines: LETTERS.map(
        (letter) => new Machine(machineName(letter, 0), commits, hub),
      ),
      hub,
      commits,
      added: [],
      noted: { written: [], forgotten: [], mayReturn: [] },
      events: [],
      defects: [],
      counts: { losses: 0, ends: 0, replaced: 0 },
    };
    const [first] = this.life.machines;
    const phase = aPhase({ total: PHASES.length });
    first?.start(this.#tick(), aState({ phases: PHASES, phase }));
    if (first !== undefined) this.#sync(first, WHOLE);
  }

  /** Time in which nobody does anything. */
  pass(milliseconds: number): void {
    this.#clock += milliseconds;
  }

  act(machine: Machine): void {
    const { random } = this;
    const { counts } = this.life;
    const what = random.below(10);
    if (what < 2) return;
    if (what < 5) {
      const stages = random.pick([WHOLE, WHOLE, random.below(WHOLE)]);
      if (stages < WHOLE) counts.losses += 1;
      const isWhole = this.#sync(machine, stages);
      if (isWhole && random.below(12) === 0) this.#replace(machine);
      return;
    }
    const { state } = machine;
    if (state === null) return;
    const at = this.#tick();
    if (isEnded(state)) {
      if (random.below(3) === 0) this.#reopen(machine);
    } else if (random.below(25) === 0) {
      counts.ends += 1;
      const status = random.pick(['completed', 'cancelled'] as const);
      this.#write(machine, status, at, (open) => ({ ...open, status }));
    } else {
      this.#write(machine, 'updated', at, this.#edit(machine, at));
    }
  }

  /** As many syncs as it takes until all have everything. */
  settle(): void {
    for (let time = 0; time < 3; time += 1)
      for (const machine of this.life.machines) this.#sync(machine, WHOLE);
  }

  #tick(): string {
    this.#clock += 1_000;
    return new Date(this.#clock).toISOString();
  }

  #newSession({ place: { machine } }: Machine): Holder {
    this.#sessions += 1;
    return {
      session: `s${String(this.#sessions).padStart(7, '0')}-0000-on-${machine}`,
      machine,
    };
  }

  #write(
    machine: Machine,
    event: string,
    at: string,
    change: (state: RunState) => RunState,
  ): void {
    if (machine.state === null) return;
    this.life.events.push(`${at} ${event}`);
    machine.edit(at, change, event);
  }

  #reopen(machine: Machine): void {
    this.life.counts.ends += 1;
    this.#write(machine, 'reopened', this.#tick(), (ended) => ({
      ...ended,
      status: 'in_progress',
    }));
  }

  /** After a whole sync a machine has everything that the remote has of its run. */
  #sync(machine: Machine, stages: number): boolean {
    const { hub, commits, defects } = this.life;
    const isWhole = machine.sync(this.#tick(), stages);
    if (stages >= IN_STEP) this.#killed.delete(machine);
    else if (stages >= COMMITTED) this.#killed.add(machine);
    machine.tell();
    const { head } = machine;
    if (!isWhole || head === undefined) return isWhole;
    if (!commits.continues(head, hub.tracking))
      defects.push(
        `${machine.place.machine} ignores ${hub.tracking} after a sync`,
      );
    return isWhole;
  }

  /** What it had is on the remote; who gets its place knows nothing of the run. */
  #replace(machine: Machine): void {
    const { machines, commits, hub, counts } = this.life;
    counts.replaced += 1;
    const at = machines.indexOf(machine);
    machines[at] = new Machine(
      machineName(LETTERS[at] ?? '', counts.replaced),
      commits,
      hub,
    );
  }

  #edit(machine: Machine, at: string): (state: RunState) => RunState {
    const { random, life } = this;
    const key = random.pick(['owner', 'branch', 'ticket', '__proto__']);
    const value = random.pick<unknown>([1, 2, 'x', ['a'], { deep: 1 }, null]);
    const without = (state: RunState): [string, unknown][] =>
      Object.entries(state.context ?? {}).filter(([name]) => name !== key);
    const step = random.below(PHASES.length) + 1;
    switch (random.below(10)) {
      case 0:
        return (state) => ({
          ...state,
          context: Object.fromEntries([...without(state), [key, value]]),
        });
      case 1:
        return (state) => ({
          ...state,
          context: Object.fromEntries(without(state)),
        });
      case 2:
        return (state) => {
          const list = state.phases ?? PHASES;
          const current = Math.min(step, list.length);
          const name = list[current - 1] ?? '';
          return {
            ...state,
            phase: aPhase({ current, total: list.length, name }),
          };
        };
      case 3:
        return (state) => {
          const phases = [...new Set([...(state.phases ?? PHASES), 'Test'])];
          return {
            ...state,
            phases,
            phase: { ...state.phase, total: phases.length },
          };
        };
      case 4: {
        const status = random.pick([
          'paused',
          'failed',
          'in_progress',
        ] as const);
        return (state) => ({ ...state, status });
      }
      case 5: {
        const holder = this.#newSession(machine);
        return (state) => takeRun(state, holder, at);
      }
      case 6:
      case 7: {
        const text = `note ${life.noted.written.length}`;
        life.noted.written.push(text);
        // Clocks are wrong by hours.
        const time = new Date(Date.parse(at) + random.below(9) * HOURS);
        return (state) => addNote(state, { text, by: 'agent' }, time).state;
      }
      case 8: {
        const notes = allNotes(machine.state ?? aState());
        const [forgotten] = random.shuffled(notes);
        if (forgotten === undefined) return (state) => state;
        const list = this.#killed.has(machine)
          ? life.noted.mayReturn
          : life.noted.forgotten;
        list.push(forgotten.text);
        return (state) => removeNote(state, forgotten.n);
      }
      default: {
        const rule = `rule ${life.added.length}`;
        life.added.push(rule);
        return (state) => ({
          ...state,
          key_reminders: [...(state.key_reminders ?? []), rule],
        });
      }
    }
  }
}

/** `takeover`: a new session on this machine takes the run. */
function takeRun(
  state: RunState,
  { session, machine }: Holder,
  at: string,
): RunState {
  const record = {
    session_id: session,
    started_at: at,
    environment: { hostname: machine },
  };
  const history = [...(state.sessions?.session_history ?? []), record];
  return {
    ...state,
    sessions: { current_session_id: session, session_history: history },
  };
}

function machineName(letter: string, number: number): string {
  return `${letter.repeat(4)}${String(number).padStart(4, '0')}`;
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
  const holder = sessions?.current_session_id?.slice(0, 8) ?? null;
  return { ...shared, holder, count: sessions?.session_history?.length ?? 0 };
}

/** What is wrong after everybody was online; empty if all machines agree and nothing is lost. */
export function defectsOf(life: Simulated): string[] {
  const { machines, hub, commits, added, noted, events, defects } = life;
  const head = hub.tracking;
  if (head === undefined) return ['the remote has no run'];
  const { state } = commits.read(head).snapshot;
  const reference = machines.find((machine) => machine.head === head);
  return [
    ...defects,
    ...(isEnded(state) || reference !== undefined
      ? []
      : ['no machine has the run']),
    ...machines.flatMap((machine) => {
      const name = machine.place.machine;
      if (machine.state === null)
        return isEnded(state)
          ? []
          : [`${name} does not have the run, which is open`];
      const reminders = new Set(machine.state.key_reminders);
      const notes = machine.state.notes ?? [];
      const texts = new Set(notes.map(({ text }) => text));
      const numbers = new Set(notes.map(({ n }) => n));
      const gone = new Set([...noted.forgotten, ...noted.mayReturn]);
      const counting = noted.written.filter((text) => !gone.has(text));
      const known = new Set(
        machine.journal.map((entry) => `${entry.at} ${entry.event}`),
      );
      const isSame =
        reference === undefined ||
        canonicalJson(sharedState(machine)) ===
          canonicalJson(sharedState(reference));
      return [
        ...(machine.head === head
          ? []
          : [`${name} has another commit than the remote`]),
        ...(isSame
          ? []
          : [`${name} has another state than ${reference.place.machine}`]),
        ...(numbers.size === notes.length
          ? []
          : [`${name} gives a number to two notes`]),
        ...counting
          .filter((text) => !texts.has(text))
          .map((text) => `${name} lost ${text}`),
        ...noted.forgotten
          .filter((text) => texts.has(text) && !noted.mayReturn.includes(text))
          .map((text) => `${name} still has ${text}`),
        ...added
          .filter((rule) => !reminders.has(rule))
          .map((rule) => `${name} lost ${rule}`),
        ...events
          .filter((event) => !known.has(event))
          .map((event) => `${name} lost ${event}`),
      ];
    }),
  ];
}
