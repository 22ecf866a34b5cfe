import { withField } from './phases.ts';
import type { RunState } from './types.ts';

/** The run with what it keeps by the number of a phase, for another list; `ids` says which phase each one of it is. */
export function renumberPhases(
  state: RunState,
  ids: readonly number[],
): RunState {
  const { skipped = {}, undone = [], outputs = {}, phases = [] } = state;
  /** The number in the new list; 0 for a phase that is not in it any more. */
  const numberOf = (number: number): number => ids.indexOf(number - 1) + 1;

  const stillSkipped: [key: string, reason: string][] = [];
  for (const [key, reason] of Object.entries(skipped)) {
    const number = numberOf(Number(key));
    if (number > 0) stillSkipped.push([String(number), reason]);
  }
  const stillUndone = undone.map(numberOf).filter((number) => number > 0);
  // What a phase handed on stays if the phase goes: then its name tells where it comes from.
  const keptOutputs = Object.entries(outputs).map(([key, output]) => {
    const formerName = phases[Number(key) - 1];
    return [numberOf(Number(key)) || formerName || key, output];
  });

  const marked = withField(state, 'skipped', Object.fromEntries(stillSkipped));
  const open = withField(marked, 'undone', stillUndone);
  return withField(open, 'outputs', Object.fromEntries(keptOutputs));
}

/**
 * Which phase each one of a list is, as its index in `before`, or as an index after it if it is new. A phase is known
 * by its name; one with a new name takes the place, after the same phase as there, of one whose name is gone.
 */
export function identifyPhases(
  list: readonly string[],
  before: readonly string[],
): number[] {
  const namesBefore = countedNames(before);
  const found = countedNames(list).map((name) => namesBefore.indexOf(name));
  let nextNewId = before.length;
  return found.map((id, index) => {
    if (id >= 0) return id;
    const lastKnown = found.findLastIndex((one, at) => at < index && one >= 0);
    const previous = found[lastKnown] ?? -1;
    const place = previous + index - lastKnown;
    // No phase of the list is one of those after the previous one, up to this place.
    const isGone = found.every((one) => one <= previous || one > place);
    if (isGone && place < before.length) return place;
    const newId = nextNewId;
    nextNewId += 1;
    return newId;
  });
}

/** `0 Build`, and `1 Build` for the second of the name: a name that is there twice is told apart. */
function countedNames(list: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return list.map((name) => {
    const earlier = counts.get(name) ?? 0;
    counts.set(name, earlier + 1);
    return `${earlier} ${name}`;
  });
}

/** The list as far as it is known, with the name that the current phase has now. */
export function knownPhases({ phases = [], phase }: RunState): string[] {
  const length = Math.max(phases.length, phase.current);
  return Array.from({ length }, (_, index) => {
    const isCurrent = index === phase.current - 1;
    if (isCurrent && phase.name !== '') return phase.name;
    return phases[index] ?? '';
  });
}
