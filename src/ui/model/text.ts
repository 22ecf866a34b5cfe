import { HIDDEN_IN_LINE, HIDDEN_IN_TEXT, LONE_SURROGATE } from '../../util/hidden-characters.ts';
import { truncate } from '../../util/sanitize.ts';

const MAX_LINE = 300;
const MAX_TEXT = 8_000;

/**
 * Untrusted text as one line for the page. Markup needs no escaping, because the page only makes text nodes of it;
 * characters that hide or reorder others would still deceive the reader, so they are replaced.
 */
export function oneLine(text: string, max = MAX_LINE): string {
  const visible = text.replace(HIDDEN_IN_LINE, ' ').replace(LONE_SURROGATE, '\uFFFD');
  return truncate(visible.replace(/\s+/g, ' ').trim(), max);
}

/** Untrusted text with its line breaks. */
export function manyLines(text: string, max = MAX_TEXT): string {
  const visible = text
    .slice(0, max + 1)
    .replace(/\r\n?/g, '\n')
    .replace(HIDDEN_IN_TEXT, ' ')
    .replace(LONE_SURROGATE, '\uFFFD');
  return truncate(visible.trimEnd(), max);
}

/** A value of a hand-written file, as text. */
export function valueText(value: unknown, max = MAX_LINE): string {
  return oneLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), max);
}

export function orNull(text: string | undefined): string | null {
  const line = oneLine(text ?? '');
  return line === '' ? null : line;
}
