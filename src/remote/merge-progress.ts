import { ADDED_LATE } from '../state/edits.ts';
import { identifyPhases } from '../state/phase-identity.ts';
import type { Phase, RunState } from '../state/types.ts';
import { isObject, sameJson, type JsonObject } from '../util/json.ts';
import { mergeField, mergeObjects, type Conflict } from './merge-fields.ts';

/** Where a run stands: these fields mean nothing without each other. */
export const PROGRESS_FIELDS = [
  'phase',
  'phases',
  'skipped',
  'outputs',
  'failure',
  'template',
  'machine',
] as const;

export interface MergedProgress {
  fields: JsonObject;
  /** The side that the position comes from, if both had moved to different ones. */
  from: RunState | null;
}

/** `final` is the side on which the run has ended, if only one has: its position counts. */
export function mergeProgress(
  base: RunState | undefined,
  first: RunState,
  second: RunState,
  final: RunState | null,
  conflicts: Conflict[],
): MergedProgress {
  const [winner, loser] = final === second ? [second, first] : [first, second];
  return winner.machine === undefined && loser.machine === undefined
    ? mergePhases(base, winner, loser, conflicts)
    : mergeMachines(base, winner, loser, conflicts);
}

/** A machine's position is one thing: a task of one side and a step of the other would be a broken run. */
function mergeMachines(
  base: RunState | undefined,
  winner: RunState,
  loser: RunState,
  conflicts: Conflict[],
): MergedProgress {
  const position = (state: RunState | undefined): JsonObject => {
    const { outputs: _outputs, artefacts: _artefacts, ...rest } = state?.machine ?? {};
    const { phase, phases, failure, template, skipped } = state ?? {};
    return { machine: rest, phase, phases, failure, template, skipped };
  };
  const [before, won, lost] = [base, winner, loser].map(position);
  const isLoserAlone = base !== undefined && sameJson(won, before) && !sameJson(lost, before);
  const isConflict =
    !sameJson(won, lost) && !isLoserAlone && (base === undefined || !sameJson(lost, before));
  if (isConflict)
    conflicts.push({
      field: 'position',
      kept: describePosition(winner),
      other: describePosition(loser),
    });
  const from = isLoserAlone ? loser : winner;
  const made = (state: RunState | undefined, key: string): unknown => state?.machine?.[key];
  const merged = (key: string): unknown =>
    mergeField(made(base, key), made(winner, key), made(loser, key), `machine.${key}`, conflicts);
  const { machine, ...rest } = position(from);
  return {
    fields: {
      ...defined(rest),
      ...defined({
        outputs: mergeField(base?.outputs, winner.outputs, loser.outputs, 'outputs', conflicts),
      }),
      ...(from.machine === undefined
        ? {}
        : {
            machine: {
              ...(isObject(machine) ? machine : {}),
              ...defined({ outputs: merged('outputs'), artefacts: merged('artefacts') }),
            },
          }),
    },
    from: isConflict ? winner : null,
  };
}

function describePosition({ phase, machine }: RunState): JsonObject {
  return { phase, ...(machine === undefined ? {} : { machine }) };
}

function mergePhases(
  base: RunState | undefined,
  winner: RunState,
  loser: RunState,
  conflicts: Conflict[],
): MergedProgress {
  const names = chooseNames(base?.phases, winner.phases, loser.phases, conflicts);
  const numbers = {
    before: numbersIn(names, base?.phases),
    won: numbersIn(names, winner.phases),
    lost: numbersIn(names, loser.phases),
  };
  // As phases of the same list, so that one that only got another number or name has not moved.
  const before = base && { ...base, phase: followPhase(base, numbers.before, names) };
  const won = { ...winner, phase: followPhase(winner, numbers.won, names) };
  const lost = { ...loser, phase: followPhase(loser, numbers.lost, names) };
  const { phase, from, isConflict } = mergePhase(before, won, lost, conflicts);
  const marks = mergeObjects(
    renumber(base?.skipped, numbers.before, () => null),
    renumber(winner.skipped, numbers.won, () => null),
    renumber(loser.skipped, numbers.lost, () => null),
    'skipped',
    conflicts,
  );
  const sides = [
    { state: winner, numbers: numbers.won },
    { state: loser, numbers: numbers.lost },
  ];
  const skipped = { ...undone(names?.slice(0, phase.current - 1) ?? [], sides), ...marks };
  const outputs = mergeObjects(
    renumber(base?.outputs, numbers.before, (number) => number),
    renumber(winner.outputs, numbers.won, (number) => number),
    renumber(loser.outputs, numbers.lost, (number) => number),
    'outputs',
    conflicts,
  );
  const failure = isConflict
    ? from.failure
    : mergeField(base?.failure, winner.failure, loser.failure, 'failure', conflicts);
  const template = mergeField(base?.template, winner.template, loser.template, 'template', []);
  return {
    fields: defined({
      phase,
      phases: names,
      skipped: Object.keys(skipped).length === 0 ? undefined : skipped,
      outputs: Object.keys(outputs).length === 0 ? undefined : outputs,
      failure,
      template,
    }),
    from: isConflict ? from : null,
  };
}

/** The list of phases is one value: a phase of one side has no place in the list of the other. */
function chooseNames(
  base: readonly string[] | undefined,
  winner: readonly string[] | undefined,
  loser: readonly string[] | undefined,
  conflicts: Conflict[],
): readonly string[] | undefined {
  if (winner === undefined || loser === undefined) return winner ?? loser;
  if (sameJson(winner, loser) || sameJson(loser, base)) return winner;
  if (sameJson(winner, base)) return loser;
  conflicts.push({ field: 'phases', kept: winner, other: loser });
  return winner;
}

/** For each phase of a list its number in `names`; null if it is not there. */
type Numbers = readonly (number | null)[];

/** Undefined for a list that is not there: its numbers stay. */
function numbersIn(
  names: readonly string[] | undefined,
  list: readonly string[] | undefined,
): Numbers | undefined {
  if (names === undefined || list === undefined) return undefined;
  const ids = identifyPhases(names, list);
  return list.map((_name, index) => {
    const at = ids.indexOf(index);
    return at < 0 ? null : at + 1;
  });
}

/** As `update --phases` does, a run whose phase is gone stays at its number. */
function followPhase(
  { phase, phases }: RunState,
  numbers: Numbers | undefined,
  names: readonly string[] | undefined,
): Phase {
  if (names === undefined || names.length === 0) return phase;
  const number = numbers === undefined ? phase.current : numbers[phase.current - 1];
  const current =
    number === null ? Math.min(phase.current, names.length) : (number ?? phase.current);
  const isListed = phase.name !== '' && phases?.[phase.current - 1] === phase.name;
  const name = isListed ? (names[current - 1] ?? phase.name) : phase.name;
  return { ...phase, current, total: Math.max(names.length, current), name };
}

/** Without a base the further phase counts; else the side that moved, and of two that did, the winner. */
function mergePhase(
  base: RunState | undefined,
  winner: RunState,
  loser: RunState,
  conflicts: Conflict[],
): { phase: Phase; from: RunState; isConflict: boolean } {
  const [won, lost] = [winner.phase, loser.phase];
  const chosen = (from: RunState, isConflict = false): ReturnType<typeof mergePhase> => ({
    phase: from.phase,
    from,
    isConflict,
  });
  if (sameJson(won, lost)) return chosen(winner);
  if (base === undefined && won.current !== lost.current)
    return chosen(won.current > lost.current ? winner : loser);
  if (base !== undefined && sameJson(lost, base.phase)) return chosen(winner);
  if (base !== undefined && sameJson(won, base.phase)) return chosen(loser);
  if (won.current === lost.current) {
    const merged = mergeObjects(base?.phase ?? {}, won, lost, 'phase', conflicts);
    return { phase: { ...won, ...merged }, from: winner, isConflict: false };
  }
  conflicts.push({ field: 'phase', kept: won, other: lost });
  return chosen(winner, true);
}

/** Keys are numbers of phases, which change with the list; `ofGone` decides about phases that are not there any more. */
function renumber(
  entries: JsonObject = {},
  numbers: Numbers | undefined,
  ofGone: (key: string) => string | null,
): JsonObject {
  return Object.fromEntries(
    Object.entries(entries).flatMap(([key, value]) => {
      const number = numbers?.[Number(key) - 1];
      const renumbered = number === null ? ofGone(key) : String(number ?? key);
      return renumbered === null ? [] : [[renumbered, value]];
    }),
  );
}

/** Of the phases that the run is past, those that neither side has done, each with the reason. */
function undone(
  past: readonly string[],
  sides: readonly { state: RunState; numbers: Numbers | undefined }[],
): JsonObject {
  const entries = past.flatMap((_name, index) => {
    const seen = sides.map(({ state: { phase, skipped = {} }, numbers }) => {
      const number = numbers === undefined ? index + 1 : numbers.indexOf(index + 1) + 1;
      const mark = Object.hasOwn(skipped, String(number)) ? skipped[String(number)] : undefined;
      return { mark, isDone: number > 0 && number < phase.current && mark === undefined };
    });
    if (seen.some(({ isDone }) => isDone)) return [];
    const reason = seen.find(({ mark }) => mark !== undefined)?.mark ?? ADDED_LATE;
    return [[String(index + 1), reason] as const];
  });
  return Object.fromEntries(entries);
}

function defined(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
