import { sanitizeLines } from './sanitize.ts';

const MAX_LINE = 300;

/** The beginning of an untrusted text in sanitized lines; if it is cut, a last line says how much is missing and where. */
export function excerpt(text: string, max: number, shownBy: string) {
  const isCut = text.length > max;
  const end = isCut && /[\uD800-\uDBFF]/.test(text.charAt(max - 1)) ? max - 1 : max;
  const lines = sanitizeLines(isCut ? text.slice(0, end) : text);
  const mark = `… cut here, ${text.length - end} of ${text.length} characters are missing: \`${shownBy}\` has them`;
  return { lines, mark: isCut ? mark : null };
}

export const quoted = (line: string): string => (line === '' ? '>' : `> ${line}`);

/** Splits long lines, because the budget keeps or drops whole lines. */
export function wrapped(line: string): string[] {
  const pieces: string[] = [];
  let rest = line;
  while (rest.length > MAX_LINE) {
    const space = rest.lastIndexOf(' ', MAX_LINE);
    const at = space > MAX_LINE / 2 ? space : MAX_LINE;
    const end = /[\uD800-\uDBFF]/.test(rest.charAt(at - 1)) ? at - 1 : at;
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...pieces, rest];
}
