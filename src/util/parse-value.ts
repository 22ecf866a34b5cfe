/** A value given as text: a number, a boolean or other JSON only where nothing of the text is lost by it. */
export function parseValue(text: string): unknown {
  const trimmed = text.trim();
  try {
    const value: unknown = JSON.parse(trimmed);
    return typeof value !== 'string' && JSON.stringify(value) === trimmed ? value : text;
  } catch {
    // Not JSON: then it is what it looks like, a text.
    return text;
  }
}
