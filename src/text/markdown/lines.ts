/** Longer than any plan; without a limit, megabytes of short lines would cost a hook too much memory. */
export const MAX_LINES = 20_000;

/** Splits a file into lines and expands tabs to columns. */
export function sourceLines(text: string, limit?: number): string[] {
  return text
    .replace(/^\uFEFF/, '')
    .replaceAll('\0', '\uFFFD')
    .split(/\r\n|\r|\n/, limit)
    .map(expandTabs);
}

/** Longer than the markers of any list or quote; a tab behind them is text, and a line of tabs costs no memory. */
const MARKERS_END = 1_000;

/** CommonMark measures indentation in columns, with a tab stop every 4. */
function expandTabs(line: string): string {
  if (!line.includes('\t')) return line;
  const start = line
    .slice(0, MARKERS_END)
    .replaceAll(/[^\t]*\t/g, (text) => text.slice(0, -1).padEnd(4 * Math.ceil(text.length / 4)));
  return start + line.slice(MARKERS_END);
}

/**
 * Character classes for regular expressions. V8 takes longer to compile `\p{L}` and `\p{S}` than to parse the files,
 * and every hook call is a new process.
 */
export const LETTERS = String.raw`a-z\d\u00c0-\u1fff\u3040-\ud7ff`;

/** A regular expression with parts that are filled in. */
export function pattern(parts: TemplateStringsArray, ...values: string[]): RegExp {
  return new RegExp(String.raw(parts, ...values));
}

/** Emoji and symbols, with joiners and variation selectors. */
export const PICTURE = String.raw`(?:[\u200d\u2190-\u2bff\ufe0f\ufffd]|[\ud83c-\ud83e][\udc00-\udfff])`;
