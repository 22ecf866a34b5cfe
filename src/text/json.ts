import { opensHostTag, HIDDEN_IN_JSON } from './sanitize.ts';
export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

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

/** Own keys only: a step may be called `constructor`. */
export const ownEntry = <T>(
  record: Readonly<Record<string, T>>,
  key: string,
): T | undefined => (Object.hasOwn(record, key) ? record[key] : undefined);

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

const MAX_DEPTH = 200;
const MAX_PARTS = 200_000;

/** Whether it is safe to parse: a megabyte of brackets can be half a million levels, or a hundred megabytes of arrays. */
export function isWithinLimits(text: string): boolean {
  // Most texts: there are not more levels than brackets. The loop below takes a hook milliseconds.
  const brackets = text.split('{').length + text.split('[').length;
  if (text.length < MAX_PARTS && brackets < MAX_DEPTH) return true;
  let depth = 0;
  let parts = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '[' || character === '{') {
      depth += 1;
      parts += 1;
    } else if (character === ']' || character === '}') depth -= 1;
    else if (character === ',') parts += 1;
    if (depth > MAX_DEPTH || parts > MAX_PARTS) return false;
  }
  return true;
}

function endOfString(text: string, start: number): number {
  for (
    let end = text.indexOf('"', start + 1);
    end >= 0;
    end = text.indexOf('"', end + 1)
  ) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === 0x5c) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

/** Parses a value given as text as JSON only if it serializes to the same text; otherwise it stays a string. */
export function parseValue(text: string): unknown {
  const trimmed = text.trim();
  const value = parseJson(trimmed);
  return typeof value !== 'string' && JSON.stringify(value) === trimmed
    ? value
    : text;
}

/** JSON whose text depends on the value alone: keys are sorted, so that equal content has the same object id. */
export const canonicalJson = (value: unknown, indent = 2): string =>
  JSON.stringify(sorted(value), null, indent);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      // A key occurs once, so no two are equal.
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}

/** JSON in which no string can open a tag of the host; it parses to the same value. */
export function safeJson(value: unknown, indent?: number): string {
  const json = escapeJson(value, indent);
  // An escape, such as that of a line end, may stand between the bracket of a tag and its name.
  const isTagged = opensHostTag(json.replace(/\\(?:u[0-9a-f]{4}|.)/g, ' '));
  return isTagged ? json.replaceAll('<', '\\u003c') : json;
}

export const escapeJson = (value: unknown, indent = 2): string =>
  JSON.stringify(value, null, indent).replace(HIDDEN_IN_JSON, (text) =>
    text.replace(
      /[^]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  );
