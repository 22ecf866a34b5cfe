/** How many entries of a long list are shown before the current one, and after it. */
const BEFORE = 3;
const AFTER = 5;

/** What is printed for an entry, and for a row of entries that are not shown. */
export interface Folding<T> {
  /** The index of the entry to fold around. */
  current: number;
  line: (entry: T) => string;
  hidden: (entries: readonly T[], side: 'before' | 'after') => string;
}

/** The entries around the current one; what is left out on either side is counted in a line. */
export function foldAround<T>(
  entries: readonly T[],
  { current, line, hidden }: Folding<T>,
): string[] {
  const at = Math.min(Math.max(current, 0), entries.length - 1);
  // A line that says "1 more" takes as much space as the entry.
  const first = at - BEFORE <= 1 ? 0 : at - BEFORE;
  const end = at + AFTER + 2 >= entries.length ? entries.length : at + AFTER + 1;
  const before = entries.slice(0, first);
  const after = entries.slice(end);
  return [
    ...(before.length === 0 ? [] : [`… ${hidden(before, 'before')}`]),
    ...entries.slice(first, end).map(line),
    ...(after.length === 0 ? [] : [`… ${hidden(after, 'after')}`]),
  ];
}
