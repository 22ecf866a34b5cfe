import type { Assignment } from './assignments.ts';
import { saysSecret } from './names.ts';

/*
 * Tables of Markdown in which the head of a column says what stands below it.
 */

/** The line between the head of a table and its rows: `| --- | :---: |` */
const RULE = /^[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)+$/;

interface Cell {
  text: string;
  start: number;
}

/** "| User | Password |" above "| ann | hunter22 |" */
export function findInTables(text: string): Assignment[] {
  const found: Assignment[] = [];
  let above: readonly Cell[] = [];
  let head: readonly Cell[] = [];
  let start = 0;
  for (const line of text.split('\n')) {
    const cells = cellsOf(line, start);
    if (RULE.test(line)) head = above;
    else if (cells.length < 2) head = [];
    else found.push(...valuesBelow(head, cells));
    above = cells;
    start += line.length + 1;
  }
  return found;
}

/** What stands between the bars of a line, without blanks and backticks around it. */
function cellsOf(line: string, offset: number): Cell[] {
  return [...line.matchAll(/[^|]+/g)].map(({ index, 0: cell }) => {
    const [, before = '', text = ''] = /^([\s`]*)(.*?)[\s`]*$/.exec(cell) ?? [];
    return { text, start: offset + index + before.length };
  });
}

function valuesBelow(
  head: readonly Cell[],
  cells: readonly Cell[],
): Assignment[] {
  return cells.flatMap(({ text: value, start }, column) => {
    const name = head[column]?.text ?? '';
    return saysSecret(name) ? [assignment(name, value, start)] : [];
  });
}

/** Nothing but its place binds the value to its name. */
const assignment = (
  name: string,
  value: string,
  start: number,
): Assignment => ({
  name,
  sign: 'space',
  isSpaced: true,
  value,
  start,
  end: start + value.length,
  isQuoted: false,
  rest: '',
  isInConfig: false,
  isAfterUser: false,
});
