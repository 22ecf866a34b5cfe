import { sanitizeLine } from '../../text/sanitize.ts';
import { cut, pad, widthOf } from '../../text/terminal-width.ts';

export interface Column {
  title: string;
  /** Longer cells are cut to this many terminal columns, with an ellipsis. */
  max?: number;
  /** Where the table is too wide, the column shrinks to this many; without it, it does not shrink. */
  min?: number;
  /** Left out where the table is too wide even so. */
  isOptional?: boolean;
}

const LONGEST_CELL = 80;
const GAP = '  ';

/** Rows below their column titles, with two spaces between columns, within `width` if they can shrink that far. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width = Infinity,
): string {
  const cells = rows.map((row) => row.map(sanitizeLine));
  const shown = columns.map((column, index) => ({ ...column, index }));
  while (narrowest(shown, cells) > width) {
    const last = shown.findLastIndex(({ isOptional }) => isOptional === true);
    if (last < 0) break;
    shown.splice(last, 1);
  }
  const widths = fittedWidths(shown, cells, width);
  return [columns.map(({ title }) => title), ...cells]
    .map((row) =>
      shown
        .map(({ index }, at) => pad(cut(row[index] ?? '', widths[at] ?? 0), widths[at] ?? 0))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

type ShownColumn = Column & { index: number };

function narrowest(columns: readonly ShownColumn[], cells: readonly string[][]): number {
  const least = columns.map((column) =>
    Math.min(column.min ?? Infinity, naturalWidth(column, cells)),
  );
  return totalWidth(least);
}

/** The column that can spare most gives way first. */
function fittedWidths(
  columns: readonly ShownColumn[],
  cells: readonly string[][],
  width: number,
): number[] {
  const widths = columns.map((column) => naturalWidth(column, cells));
  while (totalWidth(widths) > width) {
    const spare = widths.map((own, at) => own - (columns[at]?.min ?? Infinity));
    const most = Math.max(...spare);
    if (most <= 0) break;
    const at = spare.indexOf(most);
    widths[at] = (widths[at] ?? 0) - 1;
  }
  return widths;
}

function naturalWidth({ title, max, index }: ShownColumn, cells: readonly string[][]): number {
  const widest = Math.max(widthOf(title), ...cells.map((row) => widthOf(row[index] ?? '')));
  return Math.min(widest, Math.max(max ?? LONGEST_CELL, widthOf(title)));
}

function totalWidth(widths: readonly number[]): number {
  return widths.reduce((sum, own) => sum + own, 0) + GAP.length * Math.max(0, widths.length - 1);
}

export { pad, widthOf };
