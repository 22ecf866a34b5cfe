import { endOfString } from './json.ts';
import { opensHostTag, HIDDEN_IN_JSON } from './sanitize.ts';

/**
 * JSON in which no string can open a tag of the host; it parses to the same value. A regular expression for the string
 * literals would exhaust the stack on one with a million escapes.
 */
export function safeJson(value: unknown, indent?: number): string {
  const json = escapeJson(value, indent);
  if (!json.includes('<')) return json;
  const parts: string[] = [];
  let done = 0;
  for (let start = json.indexOf('"'); start >= 0; start = json.indexOf('"', done)) {
    const end = endOfString(json, start) + 1;
    parts.push(json.slice(done, start), withoutTagStart(json.slice(start, end)));
    done = end;
  }
  return parts.join('') + json.slice(done);
}

function withoutTagStart(literal: string): string {
  return literal.includes('<') && opensHostTag(String(JSON.parse(literal)))
    ? literal.replaceAll('<', '\\u003c')
    : literal;
}

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
