import { isObject } from './json.ts';

/** JSON whose text depends on the value alone: keys are sorted, so that equal content has the same object id. */
export function canonicalJson(value: unknown, indent = 2): string {
  return JSON.stringify(sorted(value), null, indent);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([key, member]) => [key, sorted(member)]),
  );
}
