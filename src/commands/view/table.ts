import { sanitizeLine } from '../../text/sanitize.ts';
import { cut, pad, widthOf } from '../../text/terminal-width.ts';

const GAP = '  ';
/** A column is never cut to less. */
const NARROWEST = 8;

/** Rows below their column titles; where they are too wide, the widest columns are cut, with an ellipsis. */
export function table(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  width = 120,
): string {
  const lines = [titles, ...rows.map((row) => row.map(sanitizeLine))];
  const widths = titles.map((_, at) => Math.max(...lines.map((line) => widthOf(line[at] ?? ''))));
  const left = width - GAP.length * (titles.length - 1);
  for (let widest = Infinity; widths.reduce((sum, own) => sum + own, 0) > left;) {
    widest = Math.max(...widths);
    if (widest <= NARROWEST) break;
    widths[widths.indexOf(widest)] = widest - 1;
  }
  const shown = (cell: string, at: number): string =>
    pad(cut(cell, widths[at] ?? 0), widths[at] ?? 0);
  return lines.map((line) => line.map(shown).join(GAP).trimEnd()).join('\n');
}

export { pad, widthOf };
