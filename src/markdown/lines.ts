/** Longer than any plan; without a limit, megabytes of short lines would cost a hook too much memory. */
export const MAX_LINES = 20_000;

/** Splits a file into lines and expands tabs to columns. */
export function sourceLines(text: string, limit?: number): string[] {
  return text
    .replace(/^\uFEFF/, '')
    .split('\0')
    .join('\uFFFD')
    .split(/\r\n|\r|\n/, limit)
    .map(expandTabs);
}

/** Longer than the markers of any list or quote; a tab behind them is text, and a line of tabs costs no memory. */
const MARKERS_END = 1_000;

/** CommonMark measures indentation in columns, with a tab stop every 4. */
function expandTabs(line: string): string {
  if (!line.includes('\t')) return line;
  return expandAll(line.slice(0, MARKERS_END)) + line.slice(MARKERS_END);
}

function expandAll(text: string): string {
  const pieces = text.split('\t');
  let column = 0;
  return pieces
    .map((piece, index) => {
      if (index === pieces.length - 1) return piece;
      const width = piece.length + 4 - ((column + piece.length) % 4);
      column += width;
      return piece.padEnd(width);
    })
    .join('');
}
