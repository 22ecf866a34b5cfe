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

/** CommonMark measures indentation in columns, with a tab stop every 4. */
function expandTabs(text: string): string {
  if (!text.includes('\t')) return text;
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
