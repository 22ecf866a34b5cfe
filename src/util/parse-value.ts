/** Parses a value given as text as JSON only if it serializes to the same text; otherwise it stays a string. */
export function parseValue(text: string): unknown {
  const trimmed = text.trim();
  try {
    const value: unknown = JSON.parse(trimmed);
    return typeof value !== 'string' && JSON.stringify(value) === trimmed ? value : text;
  } catch {
    // Not JSON, so it is a plain string.
    return text;
  }
}
