export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The object that a text is as JSON; empty if it is anything else. */
export function parseJsonObject(text: string): JsonObject {
  const json = parseJson(text);
  return isObject(json) ? json : {};
}

/** The value of an own property, never an inherited one; null if there is none. */
export function ownMember(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return null;
  const member: unknown = Object.getOwnPropertyDescriptor(value, key)?.value;
  return member ?? null;
}

/** Equality as JSON, independent of key order. Plain loops, because hooks compare thousands of declarations. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return false;
    for (let index = 0; index < a.length; index += 1) {
      if (!sameJson(a[index], b[index])) return false;
    }
    return true;
  }
  if (!isObject(a) || !isObject(b)) return false;
  let left = 0;
  for (const key of Object.keys(b)) if (b[key] !== undefined) left += 1;
  for (const key of Object.keys(a)) {
    if (a[key] === undefined) continue;
    if (!Object.hasOwn(b, key) || !sameJson(a[key], b[key])) return false;
    left -= 1;
  }
  return left === 0;
}
