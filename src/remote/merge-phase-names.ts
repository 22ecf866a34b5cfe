import { identifyPhases } from '../state/phase-identity.ts';
import { sameJson } from '../util/json.ts';
import type { Conflict } from './merge-fields.ts';

/** For each phase of a list its number in the merged one; null if it is not there any more. */
export type Numbers = readonly (number | null)[];

export interface MergedNames {
  names: string[] | undefined;
  /** Undefined for a list that is not there: its numbers stay. */
  before: Numbers | undefined;
  won: Numbers | undefined;
  lost: Numbers | undefined;
}

/**
 * Three-way merge of the names of phases. A phase that got another name is the same phase: if it got two, the
 * winner's counts. Phases that either side added are all there.
 */
export function mergePhaseNames(
  base: readonly string[] | undefined,
  winner: readonly string[] | undefined,
  loser: readonly string[] | undefined,
  conflicts: Conflict[],
): MergedNames {
  if (winner === undefined || loser === undefined) {
    const names = winner ?? loser;
    return { names: names && [...names], before: undefined, won: undefined, lost: undefined };
  }
  const known = base ?? winner;
  const won = identifyPhases(winner, known, known.length);
  const added = winner.filter((_name, index) => (won[index] ?? 0) >= known.length);
  const lost = identifyPhases(loser, [...known, ...added], known.length);
  const isMoved = (ids: readonly number[]): boolean => {
    const old = ids.filter((id) => id < known.length);
    return !sameJson(
      old,
      old.toSorted((a, b) => a - b),
    );
  };
  const isOrderOfLoser = base !== undefined && !isMoved(won) && isMoved(lost);
  const phases = (isOrderOfLoser ? unite(lost, won) : unite(won, lost)).flatMap((id) => {
    const [one, two] = [winner[won.indexOf(id)], loser[lost.indexOf(id)]];
    const merged = mergeName(base?.[id], one, two);
    return merged === null ? [] : [{ id, ...merged }];
  });
  phases.forEach(({ name, other }, index) => {
    if (other !== undefined) conflicts.push({ field: `phases.${index + 1}`, kept: name, other });
  });
  const numbers = new Map(phases.map(({ id }, index) => [id, index + 1]));
  const numbersOf = (ids: readonly number[]): Numbers => ids.map((id) => numbers.get(id) ?? null);
  return {
    names: phases.map(({ name }) => name),
    before: base && numbersOf([...base.keys()]),
    won: numbersOf(won),
    lost: numbersOf(lost),
  };
}

/** What one side removed and the other renamed stays. */
function mergeName(
  before: string | undefined,
  won: string | undefined,
  lost: string | undefined,
): { name: string; other?: string } | null {
  const name = lost === before ? won : won === before ? lost : (won ?? lost);
  if (name === undefined) return null;
  const isConflict = lost !== undefined && lost !== name && lost !== before;
  return isConflict ? { name, other: lost } : { name };
}

/** All of both; what only `others` has comes after what it follows there. */
function unite(ids: readonly number[], others: readonly number[]): number[] {
  return others.reduce<number[]>(
    (list, id, index) => {
      if (list.includes(id)) return list;
      const at = index === 0 ? 0 : list.indexOf(others[index - 1] ?? -1) + 1;
      return list.toSpliced(at, 0, id);
    },
    [...ids],
  );
}
