import { mergeList } from '../sync/merge.ts';
import { isObject, sameJson, type JsonObject } from '../util/json.ts';
import { canonicalJson } from './canonical-json.ts';

/** The same field was changed on both sides. */
export interface Conflict {
  field: string;
  kept: unknown;
  other: unknown;
}

/**
 * Three-way merge of two values; undefined stands for a field that is absent. Objects merge by key and lists unite;
 * of two other values that both differ from `base` the first wins. What one side changed and the other removed stays.
 */
export function mergeField(
  base: unknown,
  first: unknown,
  second: unknown,
  field: string,
  conflicts: Conflict[],
): unknown {
  if (sameJson(first, second) || sameJson(second, base)) return first;
  if (sameJson(first, base)) return second;
  if (first === undefined) return second;
  if (second === undefined) return first;
  if (Array.isArray(first) && Array.isArray(second))
    return mergeLists(Array.isArray(base) ? base : [], first, second);
  if (isObject(first) && isObject(second))
    return mergeObjects(isObject(base) ? base : {}, first, second, field, conflicts);
  conflicts.push({ field, kept: first, other: second });
  return first;
}

export function mergeObjects(
  base: JsonObject,
  first: JsonObject,
  second: JsonObject,
  field: string,
  conflicts: Conflict[],
): JsonObject {
  const keys = [...new Set([...Object.keys(first), ...Object.keys(second)])];
  const own = (object: JsonObject, key: string): unknown =>
    Object.hasOwn(object, key) ? object[key] : undefined;
  return Object.fromEntries(
    keys.flatMap((key) => {
      const name = field === '' ? key : `${field}.${key}`;
      const value = mergeField(own(base, key), own(first, key), own(second, key), name, conflicts);
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

/** Entries are compared as JSON. */
function mergeLists(base: unknown[], first: unknown[], second: unknown[]): unknown[] {
  const [before, one, two] = [base, first, second].map((list) =>
    list.map((entry) => canonicalJson(entry, 0)),
  );
  return mergeList(one ?? [], two ?? [], before ?? []).map((entry): unknown => JSON.parse(entry));
}
