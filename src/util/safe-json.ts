import { endOfString } from './json-limits.ts';
import { opensHostTag } from './sanitize.ts';
import { escapeJson } from './escape-json.ts';

/**
 * As JSON in which no text of others can open a tag of the host: written otherwise, it still means the same. Not by one
 * regular expression for its literals, of which one with a million escapes would exhaust the stack.
 */
export function safeJson(value: unknown): string {
  const json = escapeJson(value);
  if (!json.includes('<')) return json;
  const parts: string[] = [];
  let done = 0;
  for (let start = json.indexOf('"'); start >= 0; start = json.indexOf('"', done)) {
    const end = endOfString(json, start) + 1;
    parts.push(json.slice(done, start), harmless(json.slice(start, end)));
    done = end;
  }
  return parts.join('') + json.slice(done);
}

function harmless(literal: string): string {
  return literal.includes('<') && opensHostTag(String(JSON.parse(literal)))
    ? literal.replaceAll('<', '\\u003c')
    : literal;
}
