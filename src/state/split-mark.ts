import { PICTURE, pattern } from '../text/markdown/scan.ts';
import { phraseMark } from './marks.ts';
import { pictureMark } from './words/signs.ts';
import { means, tokenize } from './words/tokens.ts';
import type { Mark } from './words/vocabulary.ts';

export interface SplitMark {
  /** The name without its marks. */
  rest: string;
  mark: Mark | undefined;
  /** The words that say so, without pictures and brackets. */
  word: string | undefined;
  /** What is left to do after all, in brackets behind a word for done. */
  remark: string | undefined;
}

/** Nobody puts more marks beside a name. */
const MAX_MARKS = 8;

/**
 * Takes marks off both ends of a name: pictures, check boxes, and words in brackets, in bold, behind a dash or a picture,
 * or in capitals. Words count more than pictures: `⏳ Pending` has not begun.
 */
export function splitMark(text: string): SplitMark {
  let rest = text.trim();
  let picture: Mark | undefined;
  const found: Omit<SplitMark, 'rest'> = {
    mark: undefined,
    word: undefined,
    remark: undefined,
  };
  for (let turn = 0; turn < MAX_MARKS && rest !== ''; turn += 1) {
    const size = edgeOf(rest);
    if (size === 0) break;
    const taken = size > 0 ? rest.slice(0, size) : rest.slice(size);
    rest = size > 0 ? rest.slice(size) : rest.slice(0, size);
    const byWord = phraseMark(taken);
    if (byWord !== undefined) {
      found.mark = byWord;
      found.word = withoutEdges(taken);
      found.remark ??= remarkIn(taken, byWord);
    }
    picture ??= pictureMark(taken);
  }
  found.mark ??= picture;
  if (found.mark !== undefined) rest = rest.replace(DASHES_AT_END, '');
  return { rest, ...found };
}

const DASHES_AT_END = /\s+[-–—|·=<>]{1,3}$/;

/** `Completed (needs testing)` is done, and the bracket is said with it. */
function remarkIn(words: string, mark: Mark): string | undefined {
  const bracket = /\([^()]{2,80}\)/.exec(words)?.[0];
  if (mark !== 'done' || bracket === undefined) return undefined;
  const isOpen = tokenize(bracket).some((token) => means(token, 'left over'));
  return isOpen && phraseMark(bracket) === undefined ? bracket : undefined;
}

const OUTER = pattern`^(?:[\s*_\x60"'([{:;,.<>=|·–—-]|${PICTURE}){1,20}`;
const OUTER_END = pattern`(?:[\s*_\x60"')\]}!.|:–—-]|${PICTURE}){1,20}$`;

function withoutEdges(text: string): string {
  const words = text.replace(OUTER, '').replace(OUTER_END, '');
  return words.includes('(') && !words.includes(')') ? `${words})` : words;
}

const BOX = String.raw`\[[ \-~/xX✓✔]\ufe0f?\]`;
const SIGN = `(?:${PICTURE}|<-{1,3})`;
/** `✅ ` or `[x] ` before a name. */
const SIGNS_FIRST = pattern`^(?:\s|${PICTURE}|${BOX}){1,20}`;
/** ` ✅` or ` <--` behind a name. */
const SIGNS_LAST = pattern`(?:\s|${BOX}|${SIGN}){1,20}$`;
/** ` ✅ done` behind a name. */
const BEHIND_SIGN = pattern`\s*${SIGN}+\s*(?:(?!${PICTURE}).){2,80}$`;
/** ` - done`, `: done`, `, status: done`. */
const DASH =
  /(?:\s[-–—|·=]{1,2}>?|[:,;：，]|\.{1,3})\s*(?:status:\s+)?(?=\S)/gi;
const MAX_DASHES = 4;
/** ` IS DONE` behind words that are not in capitals. */
const CAPITALS = /\s(?:IS )?(?:(?:IN|NOT|ON)[ _-])?[A-Z]{3,}$/;
/** In scripts with two cases a lower-case letter, else any. */
const SMALL_LETTER = /[a-zß-öø-ÿά-ώа-џ\u0531-\u1fff\u3040-\ud7ff]/;
/** ` on 2026-01-02` or ` 1/2/2026`. */
const DATE =
  /\s*(?:on |since |as of )?(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4})$/i;

/** What words are put into. */
const GROUPS = [
  ['(', ')'],
  ['[', ']'],
  ['（', '）'],
  ['【', '】'],
  ['**', '**'],
  ['__', '__'],
  ['*', '*'],
  ['`', '`'],
] as const;
const MAX_GROUP_CHARS = 80;
const MAX_REMARK_CHARS = 60;

/** Only the ends are searched, so that a long line stays cheap. */
const MAX_EDGE_CHARS = 120;

/** How many characters at the start of a text are a mark, or, as a negative number, at its end. */
function edgeOf(text: string): number {
  const signs = SIGNS_FIRST.exec(text)?.[0] ?? '';
  if (signs.trim() !== '') return signs.length;
  const word = groupAtStart(text.slice(0, MAX_REMARK_CHARS));
  if (phraseMark(word) !== undefined) return word.length;

  const end = text.slice(-MAX_EDGE_CHARS);
  const [tail = ''] = SIGNS_LAST.exec(end) ?? [];
  if (tail.trim() !== '') return -tail.length;
  const taken = endingsOf(end).find(
    (each) => each.length < text.length && isMark(each),
  );
  if (taken !== undefined) return -taken.length;

  // A date, a commit or a remark may follow the mark, which the next turn takes.
  const remark = remarkAtEnd(end);
  const name = text.slice(0, -remark.length);
  const size = remark === '' || name === '' ? 0 : edgeOf(name);
  return size < 0 && isMark(name.slice(size)) ? -remark.length : 0;
}

function isMark(text: string): boolean {
  const isWordless = !/\w/.test(text);
  return (
    phraseMark(text) !== undefined ||
    (isWordless && pictureMark(text) !== undefined)
  );
}

/** Each part at the end of a text that may be a mark. */
function endingsOf(end: string): string[] {
  // From the last dash back: a date may follow the words behind it.
  const dashes = [...end.matchAll(DASH)].toReversed().slice(0, MAX_DASHES);
  const capitals = CAPITALS.exec(end)?.[0] ?? '';
  const before = end.slice(0, end.length - capitals.length);
  return [
    groupBeforeStop(end),
    BEHIND_SIGN.exec(end)?.[0] ?? '',
    ...dashes.map(({ index }) => end.slice(index)),
    SMALL_LETTER.test(before) ? capitals : '',
  ];
}

/** ` (done).` or ` **done**:`. */
function groupBeforeStop(end: string): string {
  const [stop = ''] = /[.:]$/.exec(end) ?? [];
  const group = groupAtEnd(
    end.slice(0, end.length - stop.length),
    MAX_GROUP_CHARS,
  );
  return group === '' ? '' : group + stop;
}

/** `[WIP] ` or `**Done**: ` before a name; empty if the text does not begin so. */
function groupAtStart(text: string): string {
  for (const [open, close] of GROUPS) {
    if (!text.startsWith(open)) continue;
    const end = text.indexOf(close, open.length);
    if (end < 0) continue;
    const group = text.slice(0, end + close.length);
    const behind = /^\s*[:–—-]?\s*(?=\S)/.exec(text.slice(group.length))?.[0];
    if (behind !== undefined) return group + behind;
  }
  return '';
}

/** ` (done)` or ` **done**` behind a name, with the space before it; empty if the text does not end so. */
function groupAtEnd(text: string, maxChars: number): string {
  for (const [open, close] of GROUPS) {
    if (!text.endsWith(close)) continue;
    const inner = text.slice(0, -close.length);
    const start = inner.lastIndexOf(open);
    const size = inner.length - start - open.length;
    // `2*3*` is arithmetic.
    const isSpaced = open !== '*' || /(?:^|\s)$/.test(inner.slice(0, start));
    const isOne = !inner.slice(start + open.length).includes(close);
    if (start < 0 || size < 1 || size > maxChars || !isSpaced || !isOne)
      continue;
    const before = text.slice(0, start).trimEnd();
    return text.slice(before.length);
  }
  return '';
}

function remarkAtEnd(end: string): string {
  const isBracket = /[)\]）】]$/.test(end);
  if (isBracket) return groupAtEnd(end, MAX_REMARK_CHARS);
  return DATE.exec(end)?.[0] ?? '';
}
