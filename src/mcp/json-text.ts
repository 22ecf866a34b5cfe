import { opensHostTag } from '../guidance/plain.ts';
import { visibleJson } from '../state/visible-json.ts';

const LITERAL = /"[^"\\]*(?:\\.[^"\\]*)*"/g;

/** As JSON in which no text of others can open a tag of the host: written otherwise, it still means the same. */
export function jsonText(value: unknown): string {
  const json = visibleJson(value);
  return json.replace(LITERAL, (literal) =>
    literal.includes('<') && opensHostTag(String(JSON.parse(literal)))
      ? literal.replaceAll('<', '\\u003c')
      : literal,
  );
}
