import { parseJson } from './json.ts';

/** Parses a value given as text as JSON only if it serializes to the same text; otherwise it stays a string. */
export function parseValue(text: string): unknown {
  const trimmed = text.trim();
  const value = parseJson(trimmed);
  return typeof value !== 'string' && JSON.stringify(value) === trimmed ? value : text;
}
