import { HIDDEN_IN_JSON } from './hidden-characters.ts';

/** Serializes to JSON in which hidden characters are written as escapes; it parses to the same value. */
export function escapeJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent).replace(HIDDEN_IN_JSON, unicodeEscapes);
}

function unicodeEscapes(text: string): string {
  return Array.from({ length: text.length }, (_, index) => {
    const code = text.charCodeAt(index).toString(16);
    return `\\u${code.padStart(4, '0')}`;
  }).join('');
}
