import { withField } from './phases.ts';
import type { RunState } from './types.ts';

/**
 * Which phase each one of a list is, as its index in `known`, or as an index after it if it is new. A phase is known
 * by its name; one with a new name takes the place, after the same phase as there, of one whose name is gone.
 */
export function identifyPhases(list: readonly string[], known: readonly string[]): number[] {
  const names = countedNames(known);
  const found = countedNames(list).map((name) => names.indexOf(name));
  let added = known.length;
  return found.map((id, index) => {
    if (id >= 0) return id;
    const last = found.findLastIndex((one, at) => at < index && one >= 0);
    const previous = found[last] ?? -1;
    const place = previous + index - last;
    const isGone = found.every((one) => one <= previous || one > place);
    return isGone && place < known.length ? place : added++;
  });
}

/** A name that is there twice is told apart. */
function countedNames(list: readonly string[]): string[] {
  return list.map((name, index) => {
    const earlier = list.slice(0, index).filter((other) => other === name).length;
    return `${earlier} ${name}`;
  });
}

/** The list as far as it is known, with the name that the current phase has now. */
export function knownPhases({ phases = [], phase }: RunState): string[] {
  return Array.from({ length: Math.max(phases.length, phase.current) }, (_, at) =>
    at === phase.current - 1 && phase.name !== '' ? phase.name : (phases[at] ?? ''),
  );
}

/** The run with what it keeps by the number of a phase, for another list; `ids` says which phase each one of it is. */
export function renumberPhases(state: RunState, ids: readonly number[]): RunState {
  const { skipped = {}, undone = [], outputs = {} } = state;
  const numberOf = (key: string | number): number => ids.indexOf(Number(key) - 1) + 1;
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
  return withField(withField(marked, 'undone', open), 'outputs', Object.fromEntries(kept));
}
