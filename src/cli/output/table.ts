import { sanitizeLine } from '../../util/sanitize.ts';
import { cut, pad, widthOf } from '../../util/terminal-width.ts';

export interface Column {
  title: string;
  /** Longer cells are cut to this many terminal columns, with an ellipsis. */
  max?: number;
}

/** Rows below their column titles, with two spaces between columns. */
export function table(columns: Column[], rows: string[][]): string {
  const cells = [columns.map(({ title }) => title), ...rows].map((row) =>
    columns.map(({ max }, index) => cut(sanitizeLine(row[index] ?? ''), max ?? 80)),
  );
  const widths = columns.map((_, index) =>
    Math.max(...cells.map((row) => widthOf(row[index] ?? ''))),
  );
  return cells
    .map((row) =>
      row
        .map((cell, index) => pad(cell, widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export { cut, pad, widthOf };
