import { mergeList, positionIn } from '../sync/merge.ts';
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
  const phases = mergeNames(base?.phases, winner.phases, loser.phases);
  // As numbers in the same list, so that a phase that only got another number has not moved.
  const [before, won, lost] = [base, winner, loser].map((state) =>
    state === undefined ? undefined : { ...state, phase: followPhase(state, phases) },
  );
  if (won === undefined || lost === undefined) throw new TypeError('two sides are merged');
  const { phase, from, isConflict } = mergePhase(before, won, lost, conflicts);
  const renumbered = (state: RunState | undefined, key: 'skipped' | 'outputs'): JsonObject =>
    renumber(state?.[key] ?? {}, state?.phases, phases);
  const numbered = (key: 'skipped' | 'outputs'): JsonObject | undefined => {
    if (winner[key] === undefined && loser[key] === undefined) return undefined;
    const [then, one, two] = [base, winner, loser].map((state) => renumbered(state, key));
    return mergeObjects(then ?? {}, one ?? {}, two ?? {}, key, conflicts);
  };
  const failure = isConflict
    ? from.failure
    : mergeField(base?.failure, winner.failure, loser.failure, 'failure', conflicts);
  const template = mergeField(base?.template, winner.template, loser.template, 'template', []);
  return {
    fields: defined({
      phase,
      phases,
      skipped: numbered('skipped'),
      outputs: numbered('outputs'),
      failure,
      template,
    }),
    from: isConflict ? from : null,
  };
}

function followPhase({ phase, phases = [] }: RunState, list: string[] | undefined): Phase {
  if (list === undefined || list.length === 0) return phase;
  const current = positionIn(
    list,
    phases,
    phase.current,
    phase.name === '' ? undefined : phase.name,
  );
  return { ...phase, current, total: Math.max(list.length, current) };
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

/** The names of both lists; one that only the loser has comes after the name before it there. */
function mergeNames(
  base: readonly string[] | undefined,
  winner: readonly string[] | undefined,
  loser: readonly string[] | undefined,
): string[] | undefined {
  const [won, lost] = [winner && [...winner], loser && [...loser]];
  if (won === undefined || lost === undefined) return won ?? lost;
  if (sameJson(lost, base) || sameJson(won, lost)) return won;
  if (sameJson(won, base)) return lost;
  const united = mergeList(won, lost, [...(base ?? [])]);
  const kept = united.filter((name) => won.includes(name));
  return lost.reduce<string[]>((list, name, index) => {
    if (list.includes(name) || !united.includes(name)) return list;
    const at = list.lastIndexOf(lost[index - 1] ?? '');
    return [...list.slice(0, at + 1), name, ...list.slice(at + 1)];
  }, kept);
}

/** Keys are numbers of phases, which change with the list. */
function renumber(
  entries: JsonObject,
  from: readonly string[] | undefined,
  to: readonly string[] | undefined,
): JsonObject {
  if (from === undefined || to === undefined || sameJson(from, to)) return entries;
  return Object.fromEntries(
    Object.entries(entries).map(([key, value]) => {
      const number = Number(key);
      const isNumber = Number.isInteger(number) && number >= 1;
      return [isNumber ? String(positionIn([...to], [...from], number)) : key, value];
    }),
  );
}

function defined(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
