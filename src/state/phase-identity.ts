/**
 * Which phase each one of a list is, as its index in `known`, or as an index after it if it is new. A phase is known
 * by its name; one with a new name takes the place, after the same phase as there, of one of the first `count` whose
 * name is gone.
 */
export function identifyPhases(
  list: readonly string[],
  known: readonly string[],
  count = known.length,
): number[] {
  const names = countedNames(known);
  const found = countedNames(list).map((name) => names.indexOf(name));
  let added = known.length;
  return found.map((id, index) => {
    if (id >= 0) return id;
    const last = found.findLastIndex((one, at) => at < index && one >= 0);
    const previous = found[last] ?? -1;
    const place = previous + index - last;
    const isGone = found.every((one) => one <= previous || one > place);
    return isGone && place < count ? place : added++;
  });
}

/** A name that is there twice is told apart. */
function countedNames(list: readonly string[]): string[] {
  return list.map((name, index) => {
    const earlier = list.slice(0, index).filter((other) => other === name).length;
    return `${earlier} ${name}`;
  });
}
