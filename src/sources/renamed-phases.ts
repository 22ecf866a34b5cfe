/**
 * Where the phase at a position of one list of names is in another list; the same position if its name is gone. Of
 * phases that share a name, the n-th stays the n-th.
 */
export function positionIn(
  list: readonly string[],
  from: readonly string[],
  position: number,
  name: string | undefined = from[position - 1],
): number {
  const earlier = positionsOf(name, from.slice(0, position - 1)).length;
  const positions = positionsOf(name, list);
  return positions[earlier] ?? positions.at(-1) ?? position;
}

/** Counted from 1, as phases are. */
function positionsOf(
  name: string | undefined,
  list: readonly string[],
): number[] {
  const positions: number[] = [];
  for (const [index, phase] of list.entries())
    if (phase === name) positions.push(index + 1);
  return positions;
}
