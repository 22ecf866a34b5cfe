import { sameJson } from '../text/json.ts';

/** Three-way merge of lists: entries that either side added are in the result, those that one removed are not. */
export function mergeList(
  current: readonly string[],
  incoming: readonly string[],
  base: readonly string[] | undefined,
): string[] {
  const merged = mergeMaps(
    setOf(current),
    setOf(incoming),
    base && setOf(base),
  );
  return [...merged.keys()];
}

function setOf(entries: readonly string[]): Map<string, true> {
  return new Map(entries.map((entry) => [entry, true]));
}

/** Three-way merge of objects, key by key. */
export function mergeEntries<T>(
  current: Readonly<Record<string, T>>,
  incoming: Readonly<Record<string, T>>,
  base: Readonly<Record<string, T>> | undefined,
): Record<string, T> {
  const merged = mergeMaps(
    new Map(Object.entries(current)),
    new Map(Object.entries(incoming)),
    base && new Map(Object.entries(base)),
  );
  return Object.fromEntries(merged);
}

/** Without a base nothing is removed, and a value that is there stays. */
function mergeMaps<T>(
  current: ReadonlyMap<string, T>,
  incoming: ReadonlyMap<string, T>,
  base: ReadonlyMap<string, T> | undefined,
): Map<string, T> {
  const merged = new Map<string, T>();
  for (const [key, value] of current) {
    const isRemoved = base?.has(key) === true && !incoming.has(key);
    // A value that was changed here outlives its removal on the other side.
    const isUntouched = isRemoved && sameJson(value, base.get(key));
    if (!isUntouched) merged.set(key, value);
  }
  for (const [key, value] of incoming) {
    const isUnchanged = base
      ? base.has(key) && sameJson(value, base.get(key))
      : current.has(key);
    if (!isUnchanged) merged.set(key, value);
  }
  return merged;
}
