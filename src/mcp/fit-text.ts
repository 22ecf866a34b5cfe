import { truncate } from '../util/sanitize.ts';
import { safeJson } from '../util/safe-json.ts';

/** The last entries that fit into `budget` characters. */
export function latestWithin<T>(
  entries: readonly T[],
  budget: number,
  costOf: (entry: T) => number,
): T[] {
  let left = budget;
  const last = entries.findLastIndex((entry) => {
    left -= costOf(entry);
    return left < 0;
  });
  return entries.slice(last + 1);
}

/** The longest length to which every text can be cut so that all of them fit into `max`. */
export function fairShare(lengths: readonly number[], max: number): number {
  let left = max;
  const ascending = lengths.toSorted((a, b) => a - b);
  for (const [index, length] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (length > share) return share;
    left -= length;
  }
  return max;
}

/** At most `max` characters of JSON. A cut text ends with how much is missing and which command shows it. */
export function cutTo(text: string, max: number, where: string): string {
  if (lengthOf(text) <= max) return text;
  const cut = (length: number): string => {
    const start = truncate(text, length);
    return `${start} (${text.length - start.length + 1} more characters: ${where})`;
  };
  let fits = 1;
  let tooLong = Math.max(2, Math.min(text.length, max));
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (lengthOf(cut(middle)) <= max) fits = middle;
    else tooLong = middle;
  }
  return cut(fits);
}

/** Length in JSON, without the quotes. */
function lengthOf(text: string): number {
  return safeJson(text).length - 2;
}
