import type { FieldConflict } from '../state/types.ts';
import { mergeList } from '../sources/merge-entries.ts';
import {
  canonicalJson,
  isObject,
  ownEntry,
  sameJson,
  type JsonObject,
} from '../text/json.ts';

/** A value of the common base and of both sides; undefined stands for a field that is absent. */
interface ThreeValues<T> {
  base: T;
  first: T;
  second: T;
}

/** Merges by key. What both sides changed differently goes to `conflicts`; the value of the first side is kept. */
export function mergeObjects(
  { base, first, second }: ThreeValues<JsonObject>,
  conflicts: FieldConflict[],
  parent = '',
): JsonObject {
  const keys = new Set([...Object.keys(first), ...Object.keys(second)]);
  const entries: [string, unknown][] = [];
  for (const key of keys) {
    const values = {
      base: ownEntry(base, key),
      first: ownEntry(first, key),
      second: ownEntry(second, key),
    };
    const field = parent === '' ? key : `${parent}.${key}`;
    const value = mergeField(values, conflicts, field);
    if (value !== undefined) entries.push([key, value]);
  }
  return Object.fromEntries(entries);
}

/** What one side changed and the other removed stays. */
function mergeField(
  { base, first, second }: ThreeValues<unknown>,
  conflicts: FieldConflict[],
  field: string,
): unknown {
  if (sameJson(first, second) || sameJson(second, base)) return first;
  if (sameJson(first, base)) return second;
  if (first === undefined) return second;
  if (second === undefined) return first;
  if (Array.isArray(first) && Array.isArray(second)) {
    const before = Array.isArray(base) ? base : [];
    return mergeLists({ base: before, first, second });
  }
  if (isObject(first) && isObject(second)) {
    const before = isObject(base) ? base : {};
    return mergeObjects({ base: before, first, second }, conflicts, field);
  }
  conflicts.push({ field, kept: first, other: second });
  return first;
}

/** The entries of both, without those that one side removed. An entry has no identity but its content. */
function mergeLists(lists: ThreeValues<readonly unknown[]>): unknown[] {
  const textsOf = (list: readonly unknown[]): string[] =>
    list.map((entry) => canonicalJson(entry, 0));
  const merged = mergeList(
    textsOf(lists.first),
    textsOf(lists.second),
    textsOf(lists.base),
  );
  return merged.map((text): unknown => JSON.parse(text));
}
