import { isObject, type JsonObject } from '../util/json.ts';

/** A list of texts; a single value counts as a list of one, and an object by its name. */
export function texts(value: unknown): string[] {
  if (Array.isArray(value) && value.every(isFilled)) return value;
  if (value === undefined || value === null) return [];
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list
    .filter((entry) => entry !== null)
    .map((entry) => (isObject(entry) && isFilled(entry['name']) ? entry['name'] : asText(entry)))
    .filter((entry) => entry.trim() !== '');
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function textOr(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}

/** A whole number, also written as text; undefined for anything else. */
export function count(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : value;
  return isCount(number) ? number : undefined;
}

export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

export function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** People write null for what there is not. */
export function withoutNull(object: JsonObject): JsonObject {
  if (!Object.values(object).includes(null)) return object;
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
