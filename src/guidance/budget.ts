import { shrinkToFit } from '../text/excerpt.ts';
import { truncate } from '../text/sanitize.ts';

/** One rendered part of a text. */
export interface Section {
  name: string;
  text: string;
  /** What was left out of it, if anything. */
  cut: string | null;
  /** The frame stays the same within a step. */
  part: 'frame' | 'rest';
}

/** What a section is made of. */
export interface LineList {
  title: string;
  /** A function renders each entry in about `max` characters: these are shortened before any is left out. */
  lines: readonly string[] | ((max: number) => string[]);
  /** The number of characters that it is guaranteed. */
  share: number;
  /** The command that shows all of it. */
  shownBy: string;
  part?: Section['part'];
}

/** A section shorter than this is left out. */
const MIN_SECTION = 60;
const MAX_ENTRY = 8_000;
const GAP = 2;

/** As many whole lines as fit; the last one says how many were left out and which command shows them. */
export function fitLines({ title, lines, shownBy, part = 'rest' }: LineList, cap: number): Section {
  const lengthOf = (all: readonly string[]): number => [title, ...all].join('\n').length;
  const whole = typeof lines === 'function' ? lines(Infinity) : lines;
  const isWhole = lengthOf(whole) <= cap;
  const shorter =
    isWhole || typeof lines !== 'function'
      ? whole
      : shrinkToFit(lines, MAX_ENTRY, cap - title.length - 1);
  const section = (kept: readonly string[], cut: string | null): Section => ({
    name: title,
    text: [title, ...kept].join('\n'),
    cut,
    part,
  });
  if (isWhole) return section(whole, null);
  const cut = `shortened; \`${shownBy}\` shows all of it`;
  if (lengthOf(shorter) <= cap) return section(shorter, cut);
  const notice = (left: number): string => `… ${left} more: \`${shownBy}\``;
  let space = cap - lengthOf([notice(shorter.length)]);
  const end = shorter.findIndex((line) => (space -= line.length + 1) < 0);
  return section([...shorter.slice(0, end), notice(shorter.length - end)], cut);
}

export interface FittedLists {
  /** In the order of the lists; null for one that is empty or found no space. */
  fitted: (Section | null)[];
  omitted: LineList[];
  /** Whether the lists got less than they are guaranteed. */
  isShort: boolean;
}

/** Each list gets its share, so that no list starves the next; the rest goes to the lists that were cut, in order. */
export function fitLists(lists: readonly LineList[], space: number): FittedLists {
  const sizes = lists.map((list) => {
    const full = fullLength(list);
    return { list, full, guaranteed: Math.min(full, Math.floor(list.share) + GAP) };
  });
  const reserved = sizes.reduce((sum, { guaranteed }) => sum + guaranteed, 0);
  const scale = Math.min(1, Math.max(space, 0) / Math.max(reserved, 1));
  const shares = sizes.map(({ guaranteed }) => Math.floor(guaranteed * scale));
  let left = space - shares.reduce((sum, share) => sum + share, 0);
  const omitted: LineList[] = [];
  const fitted = sizes.map(({ list, full }, index) => {
    if (full === 0) return null;
    const share = shares[index] ?? 0;
    const extra = Math.min(Math.max(left, 0), full - share);
    const cap = share + extra - GAP;
    if (cap >= Math.min(MIN_SECTION, full - GAP)) {
      left -= extra;
      return fitLines(list, cap);
    }
    left += share;
    omitted.push(list);
    return null;
  });
  return { fitted, omitted, isShort: space < reserved };
}

function fullLength({ title, lines }: LineList): number {
  const whole = typeof lines === 'function' ? lines(Infinity) : lines;
  return whole.length === 0 ? 0 : [title, ...whole].join('\n').length + GAP;
}

const MIN_LINE = 160;

/** Lines that are given whole while they fit; then the longest are cut, and each says how much is missing. */
export function cutLines(lines: readonly string[], shownBy: string): (max: number) => string[] {
  return (max) =>
    lines.map((line) => {
      const most = Math.max(max, MIN_LINE);
      if (line.length <= most) return line;
      const notice = (left: number): string => `… (${left} more characters: \`${shownBy}\`)`;
      const kept = truncate(line, most - notice(line.length).length)
        .slice(0, -1)
        .trimEnd();
      return kept + notice(line.length - kept.length);
    });
}

/** Lines, the newest first, that are given whole while they fit; then the oldest are cut. `max` is for all of them. */
export function cutOldest(lines: readonly string[], shownBy: string): (max: number) => string[] {
  return (max) => {
    let left = max;
    const kept = lines.flatMap((line) => {
      const space = left;
      left -= line.length + 1;
      return space < MIN_LINE && space < line.length ? [] : cutLines([line], shownBy)(space);
    });
    const older = lines.length - kept.length;
    return older === 0 ? kept : [...kept, `… ${older} older: \`${shownBy}\``];
  };
}

export function joined(sections: readonly Pick<Section, 'text'>[]): string {
  return sections.map(({ text }) => text).join('\n\n');
}

/** Four characters a token is the usual rule of thumb for English and code. */
export function estimatedTokens(characters: number): number {
  return Math.ceil(characters / 4);
}
