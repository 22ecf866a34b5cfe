import { truncate } from '../text/sanitize.ts';

/** One rendered part of a text. */
export interface Section {
  name: string;
  text: string;
  /** What was left out of it; null if it is whole. */
  cut: string | null;
}

export interface LineList {
  title: string;
  /** An entry may have several lines. */
  entries: readonly string[];
  /** Whether the longest entries are shortened before any is left out. */
  shortens?: boolean;
  /** What those are that are left out, if not just more. */
  others?: string;
  /** The characters that it is guaranteed. */
  share: number;
  /** The command that shows all of it. */
  shownBy: string;
}

export interface FittedLists {
  /** In the order of the lists; null for one that is empty or found no space. */
  fitted: (Section | null)[];
  omitted: LineList[];
  /** Whether the lists got less than they are guaranteed. */
  isShort: boolean;
}

/** A section shorter than this is left out. */
const MIN_SECTION_CHARS = 60;
const MAX_ENTRY_CHARS = 8_000;
const MIN_ENTRY_CHARS = 160;
/** The empty line between two sections. */
const GAP_CHARS = 2;
/** Lines are not shortened below this. */
const MIN_LINE_CHARS = 20;
const SHRINK_FACTOR = 0.8;

/** Each list gets its share, so that no list starves the next; the rest goes to the lists that were cut, in order. */
export function fitLists(
  lists: readonly LineList[],
  space: number,
): FittedLists {
  const sizes = lists.map((list) => {
    const full = fullLength(list);
    const guaranteed = Math.min(full, Math.floor(list.share) + GAP_CHARS);
    return { list, full, guaranteed };
  });
  const reserved = sum(sizes.map(({ guaranteed }) => guaranteed));
  const scale = Math.min(1, Math.max(space, 0) / Math.max(reserved, 1));
  const shares = sizes.map(({ guaranteed }) => Math.floor(guaranteed * scale));

  let left = space - sum(shares);
  const omitted: LineList[] = [];
  const fitted = sizes.map(({ list, full }, index) => {
    if (full === 0) return null;
    const share = shares[index] ?? 0;
    const extra = Math.min(Math.max(left, 0), full - share);
    const maxChars = share + extra - GAP_CHARS;
    const isTooShort = maxChars < Math.min(MIN_SECTION_CHARS, full - GAP_CHARS);
    if (isTooShort) {
      left += share;
      omitted.push(list);
      return null;
    }
    const section = fitLines(list, maxChars);
    left += share - GAP_CHARS - section.text.length;
    return section;
  });
  return { fitted, omitted, isShort: space < reserved };
}

/** With the gap after it; 0 for an empty list, which has no section. */
function fullLength({ title, entries }: LineList): number {
  if (entries.length === 0) return 0;
  return [title, ...entries].join('\n').length + GAP_CHARS;
}

function sum(numbers: readonly number[]): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

/** What is left out is what stands at the end; a cut says how much is missing and which command shows it. */
export function fitLines(list: LineList, maxChars: number): Section {
  const { title, entries, shortens = false, shownBy } = list;
  const whole = [title, ...entries].join('\n');
  if (whole.length <= maxChars) return { name: title, text: whole, cut: null };

  const cut = `shortened; \`${shownBy}\` shows all of it`;
  const shrunk = (max: number): string[] =>
    entries.map((entry) => cutEntry(entry, max, shownBy));
  const shorter = shortens
    ? shrinkToFit(shrunk, MAX_ENTRY_CHARS, maxChars - title.length - 1)
    : entries;
  const shortened = [title, ...shorter].join('\n');
  if (shortened.length <= maxChars)
    return { name: title, text: shortened, cut };

  const lines = [title, ...firstEntries(list, shorter, maxChars)];
  return { name: title, text: lines.join('\n'), cut };
}

/** As many entries as fit below the title, with a part of the next one if it is long, and how many are left out. */
function firstEntries(
  { title, others = 'more', shownBy }: LineList,
  entries: readonly string[],
  maxChars: number,
): string[] {
  const notice = (left: number): string =>
    `… ${left} ${others}: \`${shownBy}\``;
  let space = maxChars - [title, notice(entries.length)].join('\n').length;
  const kept: string[] = [];
  for (const entry of entries) {
    // With its line end.
    if (entry.length + 1 <= space) {
      kept.push(entry);
      space -= entry.length + 1;
      continue;
    }
    // Of a short entry, such as a path, a part says nothing.
    const minChars = kept.length === 0 ? MIN_ENTRY_CHARS : 2 * MIN_ENTRY_CHARS;
    const isCut = entry.length > minChars;
    const part = isCut ? cutEntry(entry, space - 1, shownBy) : entry;
    if (part.length <= space - 1) kept.push(part);
    break;
  }
  const left = entries.length - kept.length;
  return left > 0 ? [...kept, notice(left)] : kept;
}

/** At most `max` characters of an entry, but not less than a line; a cut says how much is missing. */
export function cutEntry(entry: string, max: number, shownBy: string): string {
  const maxChars = Math.max(max, MIN_ENTRY_CHARS);
  if (entry.length <= maxChars) return entry;
  const notice = (left: number): string =>
    `… (${left} more characters: \`${shownBy}\`)`;
  const textChars = Math.max(maxChars - notice(entry.length).length, 2);
  // Without the ellipsis, which the notice begins with.
  const kept = truncate(entry, textChars).slice(0, -1).trimEnd();
  return kept + notice(entry.length - kept.length);
}

/** Calls `make` with a shrinking limit until the result fits, else returns the shortest attempt. */
export function shrinkToFit(
  make: (max: number) => string[],
  max: number,
  budget: number,
): string[] {
  let size = max;
  let lines = make(size);
  while (size > MIN_LINE_CHARS && lines.join('\n').length > budget) {
    size = Math.floor(size * SHRINK_FACTOR);
    lines = make(size);
  }
  return lines;
}

export function joined(sections: readonly Pick<Section, 'text'>[]): string {
  return sections.map(({ text }) => text).join('\n\n');
}
