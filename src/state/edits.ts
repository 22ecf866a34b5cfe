import { HoldfastError } from '../text/holdfast-error.ts';
import {
  withField,
  withNextItem,
  enterPhase,
  isCounted,
  renamed,
  setByCommand,
} from './phases.ts';
import { withAt } from './read-state.ts';
import type { Phase, PhaseStatus, RunState } from './types.ts';

export interface Edits {
  phase?: { current: number; total?: number } | undefined;
  /** All phases, in order. The run stays in the phase of the same name. */
  phases?: string[] | undefined;
  name?: string | undefined;
  status?: PhaseStatus | undefined;
  read: string[];
  remind: string[];
  set: [key: string, value: unknown][];
  setLocal: [key: string, value: unknown][];
  artifact: [key: string, path: string][];
  unread: string[];
  forget: string[];
  unset: string[];
}

export const applyEdits = (state: RunState, edits: Edits): RunState =>
  [
    listPhases,
    movePhase,
    namePhase,
    setStatus,
    editLists,
    editContext,
    editArtifacts,
  ].reduce((edited, edit) => edit(edited, edits), state);

function listPhases(
  state: RunState,
  { phases }: Pick<Edits, 'phases'>,
): RunState {
  if (phases === undefined) return state;
  const ids = identifyPhases(phases, knownPhases(state));
  const index = ids.indexOf(state.phase.current - 1);
  const current =
    index >= 0 ? index + 1 : Math.min(state.phase.current, phases.length);
  const addedLate = ids.flatMap((id, at) =>
    at + 1 < current && id >= state.phase.current && state.phases !== undefined
      ? [[String(at + 1), ADDED_LATE] as const]
      : [],
  );
  const renumbered = renumberPhases(state, ids);
  const marks = { ...Object.fromEntries(addedLate), ...renumbered.skipped };
  const name = phases[current - 1] ?? '';
  const phase = {
    ...counted(state.phase),
    current,
    total: phases.length,
    name,
  };
  return withNextItem(
    withField({ ...renumbered, phases, phase }, 'skipped', marks),
    state,
  );
}

const ADDED_LATE = 'added later';

function movePhase(state: RunState, { phase }: Edits): RunState {
  if (phase === undefined) return state;
  const declared =
    phase.total ?? (isCounted(state.phase) ? state.phase.total : undefined);
  const total = declared ?? Math.max(state.phase.total, phase.current);
  if (phase.current < 1 || phase.current > total) {
    throw noSuchPhase(
      phase.current,
      total,
      `give both numbers to change the total, for example --phase ${phase.current}/${phase.current}`,
    );
  }
  const before =
    phase.total === undefined
      ? state
      : { ...state, phase: counted(state.phase) };
  const isCut =
    phase.total !== undefined && (state.phases?.length ?? 0) > total;
  const left = isCut
    ? listPhases(before, { phases: knownPhases(before).slice(0, total) })
    : before;
  return phase.current === state.phase.current
    ? { ...setByCommand(left), phase: { ...left.phase, total } }
    : enterPhase(left, phase.current, undefined, total);
}

const counted = ({
  total_known: _unknown,
  line: _line,
  ...phase
}: Phase): Phase => phase;

export function noSuchPhase(
  phase: number,
  total: number,
  hint: string,
): HoldfastError {
  return new HoldfastError(
    'phase_out_of_range',
    `there is no phase ${phase}: this run has ${total} ${total === 1 ? 'phase' : 'phases'}`,
    {
      hint:
        phase < 1
          ? 'phases count from 1; `holdfast status` shows which there are'
          : hint,
    },
  );
}

function namePhase(state: RunState, { name }: Edits): RunState {
  if (name === undefined) return state;
  const { line: _line, ...phase } = state.phase;
  const phases = renamed(state.phases, phase.current, name);
  return withField({ ...state, phase: { ...phase, name } }, 'phases', phases);
}

function setStatus(state: RunState, { status }: Edits): RunState {
  if (status === undefined) return state;
  const { status_reason: _reason, ...unblocked } = state;
  const kept = status === 'blocked' ? state : unblocked;
  return { ...setByCommand(kept), phase: { ...state.phase, status } };
}

function editLists(state: RunState, edits: Edits): RunState {
  const reading = without(
    'required file',
    state.required_reading,
    edits.unread,
  );
  const reminders = without(
    'reminder',
    state.key_reminders ?? [],
    edits.forget,
  );
  return {
    ...state,
    required_reading: [...new Set([...reading, ...edits.read.map(withAt)])],
    ...(edits.remind.length + edits.forget.length === 0
      ? {}
      : { key_reminders: [...new Set([...reminders, ...edits.remind])] }),
  };
}

function editContext(state: RunState, edits: Edits): RunState {
  if (edits.set.length + edits.setLocal.length + edits.unset.length === 0)
    return state;
  const context = state.context ?? {};
  const missing = edits.unset.find((key) => !Object.hasOwn(context, key));
  if (missing !== undefined)
    throw unknownEntry('context key', missing, Object.keys(context));
  const kept = Object.entries(context).filter(
    ([key]) => !edits.unset.includes(key),
  );
  const facts = Object.fromEntries([...kept, ...edits.set, ...edits.setLocal]);
  return withLocalFacts({ ...state, context: facts }, edits);
}

/** A fact that is set again without staying here is like any other. */
export function withLocalFacts(
  state: RunState,
  {
    set,
    setLocal,
    unset = [],
  }: Pick<Edits, 'set' | 'setLocal'> & Partial<Pick<Edits, 'unset'>>,
): RunState {
  const shared = new Set([...set.map(([key]) => key), ...unset]);
  const kept = (state.local_facts ?? []).filter((key) => !shared.has(key));
  const local = new Set([...kept, ...setLocal.map(([key]) => key)]);
  return withField(state, 'local_facts', [...local]);
}

const editArtifacts = (state: RunState, { artifact }: Edits): RunState =>
  artifact.length === 0
    ? state
    : {
        ...state,
        artifacts: { ...state.artifacts, ...Object.fromEntries(artifact) },
      };

/** An entry is named in full, or by a part that only one entry has. */
const without = (
  what: 'required file' | 'reminder',
  entries: string[],
  dropped: string[],
) =>
  dropped.reduce((left, name) => {
    const part = name.replace(/^@/, '').toLowerCase();
    const alike = left.filter((entry) => entry.toLowerCase().includes(part));
    const [named] = left.includes(name)
      ? [name]
      : alike.length === 1
        ? alike
        : [];
    if (named === undefined) throw unknownEntry(what, name, entries);
    return left.filter((entry) => entry !== named);
  }, entries);

function unknownEntry(
  what: string,
  name: string,
  existing: readonly string[],
): HoldfastError {
  return new HoldfastError(
    'unknown_entry',
    `this run has no ${what} "${name}"`,
    {
      hint:
        existing.length > 0
          ? `available: ${existing.join('; ')}`
          : `it has no ${what} at all`,
    },
  );
}

/**
 * Which phase each one of a list is, as its index in `before`, or as an index after it if it is new. A phase is known
 * by its name; one with a new name takes the place, after the same phase as there, of one whose name is gone.
 */
export function identifyPhases(
  list: readonly string[],
  before: readonly string[],
): number[] {
  const names = countedNames(before);
  const found = countedNames(list).map((name) => names.indexOf(name));
  let added = before.length;
  return found.map((id, index) => {
    if (id >= 0) return id;
    const last = found.findLastIndex((one, at) => at < index && one >= 0);
    const previous = found[last] ?? -1;
    const place = previous + index - last;
    const isGone = found.every((one) => one <= previous || one > place);
    return isGone && place < before.length ? place : added++;
  });
}

/** A name that is there twice is told apart. */
const countedNames = (list: readonly string[]): string[] =>
  list.map((name, index) => {
    const earlier = list
      .slice(0, index)
      .filter((other) => other === name).length;
    return `${earlier} ${name}`;
  });

/** The list as far as it is known, with the name that the current phase has now. */
export const knownPhases = ({ phases = [], phase }: RunState): string[] =>
  Array.from({ length: Math.max(phases.length, phase.current) }, (_, at) =>
    at === phase.current - 1 && phase.name !== ''
      ? phase.name
      : (phases[at] ?? ''),
  );

/** The run with what it keeps by the number of a phase, for another list; `ids` says which phase each one of it is. */
export function renumberPhases(
  state: RunState,
  ids: readonly number[],
): RunState {
  const { skipped = {}, undone = [], outputs = {} } = state;
  const numberOf = (key: string | number): number =>
    ids.indexOf(Number(key) - 1) + 1;
  const marks = Object.entries(skipped).flatMap(([key, reason]) =>
    numberOf(key) > 0 ? [[numberOf(key), reason]] : [],
  );
  // What a phase handed on stays if the phase goes: then its name tells where it comes from.
  const kept = Object.entries(outputs).map(([key, output]) => [
    numberOf(key) || state.phases?.[Number(key) - 1] || key,
    output,
  ]);
  const open = undone.map(numberOf).filter((phase) => phase > 0);
  const marked = withField(state, 'skipped', Object.fromEntries(marks));
  return withField(
    withField(marked, 'undone', open),
    'outputs',
    Object.fromEntries(kept),
  );
}
