import { phraseMark } from '../../state/marks.ts';
import { splitMark } from '../../state/split-mark.ts';
import {
  NUMBER_WORDS,
  PHASE_WORDS,
  type Mark,
  type Unit,
} from '../../state/words/vocabulary.ts';
import { cleanText } from './field-line.ts';

/** What a heading, an item, a cell or a line says that begins with a phase. */
export interface PhaseHead {
  /** The number, so that another head can be about the same phase. */
  key: string;
  /** The number as people write it; undefined for a placeholder. */
  label: string | undefined;
  name: string;
  mark?: Mark | undefined;
  /** The word that says so. */
  word?: string | undefined;
  /** Whether a colon, a dash, a mark or nothing follows the number: `Phase 1 Summary` is about phase 1 and is not it. */
  isPlain: boolean;
}

export interface HeadPlace {
  /** A sentence may begin with a phase, too, so that a colon or a dash has to follow the number, or nothing but a mark. */
  isStrict: boolean;
  /** Of a heading. */
  level?: number | undefined;
}

export type HeadReader = (
  text: string,
  place?: HeadPlace,
) => PhaseHead | undefined;

/** Longer numbers are something else. */
const NUMBER = String.raw`t?\d{1,4}(?:\.\d{1,3}){0,2}[a-z]?`;
/** `1-2`, `1 & 2`. */
const RANGE = String.raw`(?:\s?(?:[-–&+]|and|to)\s?\d{1,4})?`;
const NUMBER_WORD_LIST = NUMBER_WORDS.flatMap(([, words]) => words.split(' '));
const NUMBER_LETTERS = [...new Set(NUMBER_WORD_LIST.join(''))].join('');
const LONGEST_NUMBER_WORD = Math.max(
  ...NUMBER_WORD_LIST.map(({ length }) => length),
);
/** What may be `Two` or `二`; `isId` knows whether it is. All words in one pattern would take long to compile. */
const WORD = `[${NUMBER_LETTERS}]{1,${LONGEST_NUMBER_WORD}}`;
const ID = `${NUMBER}${RANGE}|[A-Z]|[IVX]{1,5}|${WORD}`;
/** Not `Phase 2%`, `Phase 2.x`, `Phase B-tree`. */
const END = String.raw`(?![\w%]|\.\w|[-'’]\w)`;
/** `2. ` before `Phase Two`. */
const LIST_NUMBER = String.raw`(?:\d{1,3}[.)]\s+)?`;

/** `Phase 2`, `Phase-2`, `Phase #2`, `阶段 2`. */
const wordFirst = (words: string): string =>
  String.raw`^${LIST_NUMBER}(?:${words})[\s_#-]{0,3}(${ID})${END}`;
/** `第 2 阶段`, `第二阶段`. */
const numberFirst = (words: string): string =>
  String.raw`^${LIST_NUMBER}第\s?(${ID})\s?(?:${words})`;

/** `**Current Phase**: 2`. */
const currentPhase = (words: string): string =>
  String.raw`^\W{0,9}(?:current |当前|目前)(?:${words})\W{1,9}(?:(?:${words})\s{0,3})?(?=\d)`;

/** `P0`, as in `### P0 — Blockers`. */
const PRIORITY = /^P(\d{1,2})(?=\s*(?:$|[:：–—]|-\s))/;

const IS_ID = /^(?:t?\d|[A-Z]$|[IVX]+$)/i;
const TOTAL = /^\s*(?:\/|\(?of)\s*\d{1,4}\)?/;
const SEPARATOR = /^[\s:：.)|–—-]*/;
const SEPARATED = /^\s*(?:$|[:：.)|–—]|-\s)/;
const LIST_MARK = /^\s*(?:[-*+•]|\d{1,9}[.)])\s+(?=\S)/;
const MAX_HEAD_CHARS = 120;

/** Reads the heads of phases that are called so. */
export function headsOf(units: readonly Unit[]): HeadReader {
  const key = units.join(' ');
  const known = readers.get(key);
  if (known !== undefined) return known;
  const words = units
    .flatMap((unit) => PHASE_WORDS[unit])
    .flatMap(([, listed]) => listed.split(', '))
    .toSorted((one, other) => other.length - one.length)
    .join('|');
  const patterns: HeadPatterns = {
    mentions: new RegExp(words, 'i'),
    heads: [
      new RegExp(wordFirst(words), 'i'),
      new RegExp(numberFirst(words), 'i'),
    ],
    current: new RegExp(currentPhase(words), 'i'),
    unit: units[0] ?? 'phase',
  };
  const reader: HeadReader = (text, place) => readHead(text, patterns, place);
  readers.set(key, reader);
  return reader;
}

const readers = new Map<string, HeadReader>();

interface HeadPatterns {
  mentions: RegExp;
  heads: readonly RegExp[];
  current: RegExp;
  unit: Unit;
}

function readHead(
  text: string,
  { mentions, heads, current, unit }: HeadPatterns,
  { isStrict }: HeadPlace = { isStrict: false },
): PhaseHead | undefined {
  if (!mentions.test(text.slice(0, MAX_HEAD_CHARS))) return undefined;
  const isBold = /^[\s\-+*•\d.)]*(?:\*\*|__)/.test(text);
  const plain = isStrict ? text.replace(current, `🔄 ${unit} `) : text;
  const outer = splitMark(plain.replace(LIST_MARK, ''));
  const bold = splitMark(cleanText(outer.rest).replace(/^#+\s+/, ''));
  const line = bold.rest;
  const found = heads.map((each) => each.exec(line)).find(Boolean);
  const [head = '', id = ''] = found ?? [];
  if (id === '' || !isId(id)) return undefined;

  const after = line.slice(head.length).replace(TOTAL, '');
  const tail = splitMark(after.replace(SEPARATOR, ''));
  const isMarked = isBold || plain !== text || tail.word !== undefined;
  const isSeparated = SEPARATED.test(after);
  const startsWithMark = startsWithSign(after, tail.mark);
  if (isStrict && !isMarked && !isSeparated && !startsWithMark)
    return undefined;
  const name = tail.rest.replace(SEPARATOR, '');
  const wholeMark = phraseMark(name);
  const key = keyOf(id);
  const remark = outer.remark ?? bold.remark ?? tail.remark;
  const ownName = wholeMark === undefined ? name : '';
  const title = ownName || defaultName(unit, key, id);
  return {
    key,
    label: labelOf(key, id),
    name: remark === undefined ? title : `${title} ${remark}`,
    mark: outer.mark ?? bold.mark ?? tail.mark ?? wholeMark,
    word: outer.word ?? tail.word ?? (wholeMark && name),
    isPlain:
      isSeparated || startsWithMark || /^\s*[(（]/.test(after) || name === '',
  };
}

/** `Phase 1 ✅ Design`. */
function startsWithSign(after: string, mark: Mark | undefined): boolean {
  return mark !== undefined && /^\s*[^\w\s]/.test(after);
}

function isId(id: string): boolean {
  const isLetters = /^[a-z]+$/i.test(id);
  // A single small letter, or `ii` in small letters, is a word.
  const isSmall = isLetters && id !== id.toUpperCase();
  return isNumberWord(id) || (IS_ID.test(id) && !isSmall);
}

function isNumberWord(id: string): boolean {
  return numberOf(id) !== undefined;
}

function numberOf(id: string): number | undefined {
  for (const [, words] of NUMBER_WORDS) {
    const index = words.split(' ').indexOf(id.toLowerCase());
    if (index >= 0) return index;
  }
  return undefined;
}

function keyOf(id: string): string {
  const number = numberOf(id);
  if (number !== undefined) return String(number);
  return id.replace(/^0+(?=\d)/, '').toLowerCase();
}

/** `Phase N` is the last phase of a template. */
function labelOf(key: string, id: string): string | undefined {
  if (key === 'n') return undefined;
  return /^[\dt]/.test(key) ? key : id;
}

function defaultName(unit: Unit, key: string, id: string): string {
  const word = unit.charAt(0).toUpperCase() + unit.slice(1);
  return `${word} ${/^\d/.test(key) ? key : id}`;
}

/** `### 2. Write the parser`: the level of the first such heading counts. */
export function numberedHeads(level: number | undefined): HeadReader {
  return (text, place) => {
    const number = NUMBERED.exec(text)?.[1];
    if (number === undefined || place?.level !== level) return undefined;
    const { rest, mark, word } = splitMark(cleanText(withoutNumber(text)));
    const key = String(Number(number));
    return { key, label: key, name: rest, mark, word, isPlain: true };
  };
}

/** Every heading of a level, such as `## 1. Setup` in OpenSpec. */
export function headingsOfLevel(level: number): HeadReader {
  return (text, place) => {
    if (place?.level !== level) return undefined;
    const { rest, mark, word } = splitMark(cleanText(withoutNumber(text)));
    const name = rest === '' ? text : rest;
    return { key: text, label: undefined, name, mark, word, isPlain: true };
  };
}

/** `### P0 — Blockers`, `### P1 — Tidy up`. */
export const priorityHeads: HeadReader = (text, place) => {
  const { rest, mark, word } = splitMark(cleanText(text));
  const number = PRIORITY.exec(rest)?.[1];
  if (number === undefined || place?.level === undefined) return undefined;
  const name = rest.replace(PRIORITY, '').replace(SEPARATOR, '');
  const label = `P${number}`;
  return {
    key: number,
    label,
    name: name === '' ? label : name,
    mark,
    word,
    isPlain: true,
  };
};

const NUMBERED = /^\**(\d{1,4})[.):]\s+\S/;

export function isNumbered(heading: string): boolean {
  return NUMBERED.test(heading);
}

export function withoutNumber(heading: string): string {
  return heading.replace(/^\**\d{1,9}[.):]?\s+/, '');
}
