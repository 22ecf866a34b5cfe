import type { FieldConflict, RunState } from '../../src/state/types.ts';
import type { Machine } from './machines.ts';
import { canonicalJson } from '../../src/text/json.ts';
import { aPhase } from './runs.ts';
import type { Random } from './seeded-random.ts';

/** The session that has the run, and where. */
export interface Holder {
  session: string;
  machine: string;
}

/** A field of the run that has one value, of which several machines set their own. */
export interface ContestedField {
  /** As conflicts name it. */
  name: string;
  set: (state: RunState, value: unknown) => RunState;
  get: (state: RunState) => unknown;
  /** A value that nobody has set before, the field's own excepted. */
  values: (state: RunState, number: number) => unknown;
}

const FIELDS: readonly ContestedField[] = [
  {
    name: 'context.contested',
    set: (state, value) => ({ ...state, context: { ...state.context, contested: value } }),
    get: ({ context }) => context?.['contested'],
    values: (_state, number) => `value ${number}`,
  },
  {
    name: 'workflow',
    set: (state, value) => ({ ...state, workflow: String(value) }),
    get: ({ workflow }) => workflow,
    values: (_state, number) => `Feature ${number}`,
  },
  {
    name: 'phase',
    set: (state, value) => ({ ...state, phase: phaseOf(state, Number(value)) }),
    get: ({ phase }) => phase.current,
    values: ({ phase, phases = [] }, number) => {
      const others = phases.map((_name, index) => index + 1).filter((n) => n !== phase.current);
      return others[number % others.length];
    },
  },
];

function phaseOf({ phases = [] }: RunState, current: number): RunState['phase'] {
  return aPhase({ current, total: phases.length, name: phases[current - 1] ?? '' });
}

/** `resume --force`: a new session on this machine takes the run. */
export function takeRun(state: RunState, { session, machine }: Holder, at: string): RunState {
  const record = { session_id: session, started_at: at, environment: { hostname: machine } };
  const history = [...(state.sessions?.session_history ?? []), record];
  return { ...state, sessions: { current_session_id: session, session_history: history } };
}

/** `release`: the run belongs to no session any more. */
function releaseRun(state: RunState): RunState {
  return { ...state, sessions: { ...state.sessions, current_session_id: null } };
}

/** What one machine did while nobody was online. */
interface Moves {
  machine: Machine;
  took: { at: string; holder: Holder } | null;
  released: boolean;
  value: { at: string; value: unknown } | null;
}

export interface Contest {
  field: ContestedField;
  before: Holder | null;
  moves: readonly Moves[];
}

export interface ContestTools {
  random: Random;
  tick: () => string;
  /** The next number that was not used yet. */
  number: () => number;
  /** An event of the journal that must not be lost. */
  write: (
    machine: Machine,
    event: string,
    at: string,
    change: (state: RunState) => RunState,
  ) => void;
  newSession: (machine: Machine) => Holder;
}

/** Two or three machines that are offline change the same field, and some of them take or release the run. */
export function contend(
  machines: readonly Machine[],
  before: Holder | null,
  tools: ContestTools,
): Contest {
  const { random, tick, write } = tools;
  const field = random.pick(FIELDS);
  const start = tools.number();
  const moves = random
    .shuffled(machines)
    .slice(0, 2 + random.below(2))
    .map((machine, index): Moves => {
      const isHolder = before?.machine === machine.place.machine;
      const at = tick();
      const takes = random.below(3) === 0;
      const holder = takes ? tools.newSession(machine) : null;
      const released = !takes && isHolder && random.below(3) === 0;
      if (holder !== null) write(machine, 'resumed', at, (state) => takeRun(state, holder, at));
      if (released) write(machine, 'released', at, releaseRun);
      if (random.below(8) === 0 && machine.state !== null)
        return { machine, took: holder === null ? null : { at, holder }, released, value: null };
      const later = tick();
      const value = field.values(machine.state ?? emptyState(), start + index);
      write(machine, 'updated', later, (state) => field.set(state, value));
      return {
        machine,
        took: holder === null ? null : { at, holder },
        released,
        value: { at: later, value },
      };
    });
  return { field, before, moves };
}

function emptyState(): RunState {
  throw new Error('every machine has the run when a contest starts');
}

/**
 * Who must have the run afterwards: of those that took it on another machine than it was on, the last; otherwise the
 * session that followed on that machine; nobody, if it was released and nobody took it.
 */
function holderAfter({ before, moves }: Contest): Holder | null {
  const took = moves
    .flatMap(({ took: taken }) => taken ?? [])
    .toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const moved = took.findLast(({ holder }) => holder.machine !== before?.machine);
  const last = moved ?? took.at(-1);
  if (last !== undefined) return last.holder;
  return moves.some(({ released }) => released) ? null : before;
}

/**
 * Which values the field may have afterwards. That of the machine that has the run, if it set one; if that machine
 * did nothing, or nobody has the run, the last one; otherwise any of them.
 */
function valuesAfter(contest: Contest): unknown[] {
  const holder = holderAfter(contest);
  const set = contest.moves.filter(({ value }) => value !== null);
  const own = contest.moves.find(({ machine }) => machine.place.machine === holder?.machine);
  if (own !== undefined && own.value !== null) return [own.value.value];
  const all = set.flatMap(({ value }) => value ?? []).toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const isLastCertain = own === undefined && set.length === contest.moves.length;
  const last = all.at(-1);
  if (last === undefined) return [];
  return (isLastCertain ? [last] : all).map(({ value }) => value);
}

/** What is wrong after a contest once everybody was online. */
export function contestDefects(contest: Contest, machines: readonly Machine[]): string[] {
  const { field, moves, before } = contest;
  const values = valuesAfter(contest);
  const kept =
    machines[0]?.state === null ? undefined : field.get(machines[0]?.state ?? emptyState());
  const lost = [
    ...new Set(moves.flatMap(({ value }) => (value === null ? [] : [value.value]))),
  ].filter((value) => JSON.stringify(value) !== JSON.stringify(kept));
  const about = JSON.stringify({
    field: field.name,
    before,
    moves: moves.map(({ machine, ...rest }) => ({ machine: machine.place.machine, ...rest })),
  });
  return machines.flatMap((machine) => {
    const name = machine.place.machine;
    const { state } = machine;
    if (state === null) return [`${name} has no run after ${about}`];
    const value = field.get(state);
    const isRight = values.length === 0 || values.some((one) => one === value);
    return [
      ...(isRight ? [] : [`${name} has ${String(value)} after ${about}`]),
      ...holderDefects(machine, state, contest).map((text) => `${text} after ${about}`),
      ...(countValues(contest) < 2 ? [] : lost.filter((one) => !isKept(machine, field, one))).map(
        (one) => `${name} does not have ${String(one)} in its history after ${about}`,
      ),
      ...(countValues(contest) < 2 ? [] : lost.filter((one) => !isTold(machine, field, one))).map(
        (one) => `${name} was not told of ${String(one)} after ${about}`,
      ),
    ];
  });
}

function countValues({ moves }: Contest): number {
  return moves.filter(({ value }) => value !== null).length;
}

function holderDefects(machine: Machine, state: RunState, contest: Contest): string[] {
  const name = machine.place.machine;
  const holder = holderAfter(contest);
  const isHere = holder?.machine === name;
  const expected = holder === null ? null : isHere ? holder.session : holder.session.slice(0, 8);
  const current = state.sessions?.current_session_id ?? null;
  const former = formerSession(contest, name);
  const record = state.sessions?.session_history?.find(({ session_id: id }) => id === former);
  return [
    ...(current === expected ? [] : [`${name} says that ${current} holds it, not ${expected}`]),
    ...(former !== null && holder !== null && !isHere && record?.released_at === undefined
      ? [`on ${name} ${former} would get back the run that ${holder.machine} has`]
      : []),
  ];
}

/** The session on this machine that had the run before the machines exchanged anything. */
function formerSession({ before, moves }: Contest, machine: string): string | null {
  const own = moves.find(({ machine: { place } }) => place.machine === machine);
  if (own?.took !== undefined && own.took !== null) return own.took.holder.session;
  return before?.machine === machine && own?.released !== true ? before.session : null;
}

function says(
  conflict: Pick<FieldConflict, 'field' | 'other'>,
  field: ContestedField,
  lost: unknown,
): boolean {
  if (field.name !== 'phase') return conflict.field === field.name && conflict.other === lost;
  const other = canonicalJson(conflict.other);
  return conflict.field === 'position' && other.includes(`"current": ${String(lost)},`);
}

function isKept({ journal }: Machine, field: ContestedField, lost: unknown): boolean {
  return journal.some(
    (event) =>
      event.event === 'conflict' &&
      says({ field: String(event['field']), other: event['other'] }, field, lost),
  );
}

function isTold({ told }: Machine, field: ContestedField, lost: unknown): boolean {
  return told.some((conflict) => says(conflict, field, lost));
}
