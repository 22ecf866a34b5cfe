import { truncate } from '../text/sanitize.ts';

/** One rendered part of the guidance. */
export interface Section {
  name: string;
  text: string;
  /** What was left out of it, if anything. */
  cut: string | null;
}

/** As many whole lines as fit; the last one says how many were left out and which command shows them. */
export function fitLines(
  name: string,
  title: string,
  lines: string[],
  cap: number,
  shownBy: string,
): Section {
  const whole = [title, ...lines].join('\n');
  if (whole.length <= cap) return { name, text: whole, cut: null };
  const notice = (left: number): string => `… ${left} more: \`${shownBy}\``;
  const space = cap - notice(lines.length).length - 1;
  const kept: string[] = [];
  let length = title.length;
  for (const line of lines) {
    length += line.length + 1;
    if (length > space) break;
    kept.push(line);
  }
  const left = lines.length - kept.length;
  return {
    name,
    text: [title, ...kept, notice(left)].join('\n'),
    cut: `${left} of ${lines.length} entries, to stay within ${Math.floor(cap)} characters; \`${shownBy}\` shows them`,
  };
}

export interface LineList {
  title: string;
  lines: string[];
  /** The number of characters that it is guaranteed. */
  share: number;
  /** The command that shows all of it. */
  shownBy: string;
  /** Renders the list in fewer characters, for lists whose last lines matter too much to be cut off. */
  shorter?: ((space: number) => string[]) | undefined;
}

/** A section shorter than this is left out. */
const MIN_SECTION = 60;
const GAP = 2;

/** The number of characters that all lists together are guaranteed. */
export function reserved(lists: readonly LineList[]): number {
  return lists.reduce((sum, list) => sum + guaranteedLength(list), 0);
}

/** Each list gets its share, so that no list starves the next; the rest goes to the lists that were cut, in order. */
export function fitLists(
  lists: readonly LineList[],
  space: number,
): { fitted: (Section | null)[]; omitted: LineList[] } {
  const scale = Math.min(1, Math.max(space, 0) / Math.max(reserved(lists), 1));
  const shares = lists.map((list) => Math.floor(guaranteedLength(list) * scale));
  let left = space - shares.reduce((sum, share) => sum + share, 0);
  const omitted: LineList[] = [];
  const fitted = lists.map((list, index) => {
    if (list.lines.length === 0) return null;
    const share = shares[index] ?? 0;
    const extra = Math.min(Math.max(left, 0), fullLength(list) - share);
    const cap = share + extra - GAP;
    if (cap >= MIN_SECTION || cap >= fullLength(list) - GAP) {
      left -= extra;
      return fitList(list, cap);
    }
    left += share;
    omitted.push(list);
    return null;
  });
  return { fitted, omitted };
}

function fitList(list: LineList, cap: number): Section {
  const { title, lines, shownBy, shorter } = list;
  if (shorter === undefined || fullLength(list) - GAP <= cap)
    return fitLines(title, title, lines, cap, shownBy);
  const fitted = fitLines(title, title, shorter(cap - title.length - 1), cap, shownBy);
  const cut = `shortened, to stay within ${Math.floor(cap)} characters; \`${shownBy}\` shows all of it`;
  return { ...fitted, cut: fitted.cut ?? cut };
}

/**
 * Cuts the longest lines, all of them to the same length, until the rest fits into `space`. Each cut says how much is
 * missing and which command shows it.
 */
export function cutLongest(lines: readonly string[], space: number, shownBy: string): string[] {
  const cutTo = (max: number): string[] => lines.map((line) => cutLine(line, max, shownBy));
  let [low, high] = [MIN_LINE, Math.max(MIN_LINE, ...lines.map(({ length }) => length))];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (cutTo(middle).join('\n').length <= space) low = middle;
    else high = middle - 1;
  }
  return cutTo(low);
}

const MIN_LINE = 160;

function cutLine(line: string, max: number, shownBy: string): string {
  if (line.length <= max) return line;
  const notice = (left: number): string => `… (${left} more characters: \`${shownBy}\`)`;
  const kept = truncate(line, max - notice(line.length).length)
    .slice(0, -1)
    .trimEnd();
  return kept + notice(line.length - kept.length);
}

function fullLength({ title, lines }: LineList): number {
  return lines.length === 0 ? 0 : [title, ...lines].join('\n').length + GAP;
}

function guaranteedLength(list: LineList): number {
  return Math.min(fullLength(list), Math.floor(list.share) + GAP);
}

export function joined(sections: readonly Section[]): string {
  return sections.map(({ text }) => text).join('\n\n');
}

/** Four characters a token is the usual rule of thumb for English and code. */
export function estimatedTokens(characters: number): number {
  return Math.ceil(characters / 4);
}
