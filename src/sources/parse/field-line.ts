import { phraseMark } from '../../state/marks.ts';
import { STATUS_LABELS, type Mark } from '../../state/words/vocabulary.ts';
import {
  LETTERS,
  PICTURE,
  pattern,
  MAX_LINES,
  scanMarkdown,
  sourceLines,
  type Heading,
} from '../../text/markdown/scan.ts';

/** The characters of a ticked box, for a character class. */
const TICKS = 'xX✓✔';

export interface SourceLine {
  number: number;
  /** Without comments and struck-out text; empty for code. */
  text: string;
  /** The same, also for code. */
  shown: string;
  /** With the struck-out text, where there is some. */
  struck?: string | undefined;
  heading?: Heading | undefined;
  item: ListItem | undefined;
  field: Field | undefined;
}

export function readLines(text: string, maxLines = MAX_LINES): SourceLine[] {
  const raw = text.includes('~~') ? sourceLines(text, maxLines) : [];
  return scanMarkdown(text, { maxLines, hideStruckText: true }).map(
    ({ number, text: shown, kind, heading }) => {
      const line = kind === 'code' ? '' : shown;
      return {
        number,
        text: line,
        shown,
        struck: struckIn(raw[number - 1], kind),
        heading,
        item: parseListItem(line),
        field: parseField(line),
      };
    },
  );
}

function struckIn(
  raw: string | undefined,
  kind: 'text' | 'code',
): string | undefined {
  if (kind === 'code' || raw === undefined || !raw.includes('~~'))
    return undefined;
  return raw.replaceAll('~~', '');
}

export interface Field {
  /** In lower case, with single spaces between words. */
  label: string;
  value: string;
}

/** Parses `Label: value` with any decoration: bullets, heading marks, quotes, emphasis, emoji. */
export function parseField(text: string): Field | undefined {
  if (!/[:：]/.test(text)) return undefined;
  const lead = LEAD.exec(text)?.[0] ?? '';
  const opened = /[*_`]{0,3}$/.exec(lead.slice(-3))?.[0] ?? '';
  const match = LABEL.exec(text.slice(lead.length, lead.length + 80));
  if (!match) return undefined;
  const [whole, name = '', closed = ''] = match;
  // The cells of `| Label: | value |`.
  const value = text
    .slice(lead.length + whole.length)
    .replaceAll(/^\s*\||\|\s*$/g, '');
  const label = name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ');
  return {
    label: OTHER_STATUS_LABELS.has(label) ? 'status' : label,
    value: cleanText(closed ? value : withoutEmphasisMark(value, opened)),
  };
}

// Limited, so that hostile input stays cheap; nobody decorates a line this much.
const DECORATION = String.raw`(?:[\s#*_\-+>|~=•\x60]|${PICTURE}){0,100}`;
const NUMBER_FIRST = String.raw`\d{1,9}[.)]\s`;
const BOX_FIRST = String.raw`\[[ ${TICKS}]?\ufe0f?\]`;
const LEAD = pattern`^${DECORATION}(?:${NUMBER_FIRST}${DECORATION})?(?:${BOX_FIRST}${DECORATION})?`;
/** Without digits: `2: Build` is no field. */
const LABEL_LETTERS = LETTERS.replace(String.raw`\d`, '');
const LABEL = new RegExp(
  pattern`^([${LABEL_LETTERS}][${LABEL_LETTERS} _-]{0,40}?)([*_\x60]{0,3})\s{0,3}[:：]`,
  'i',
);

/** What other languages call a status. */
const OTHER_STATUS_LABELS = new Set(
  STATUS_LABELS.filter(([language]) => language !== 'en').flatMap(
    ([, labels]) => labels.split(', '),
  ),
);

/** Emphasis opened before the label may close behind the colon (`**Label:** x`) or at the end (`_Label: x_`). */
function withoutEmphasisMark(value: string, mark: string): string {
  if (mark === '') return value;
  if (value.startsWith(mark)) return value.slice(mark.length);
  const trimmed = value.trimEnd();
  return trimmed.endsWith(mark) ? trimmed.slice(0, -mark.length) : value;
}

export function cleanText(text: string, marks = ['__', '*', '_', '`']): string {
  let clean = text.replaceAll('**', '').trim();
  for (const mark of marks) {
    const inner = clean.slice(mark.length, -mark.length);
    const isWrapped =
      clean.startsWith(mark) && clean.endsWith(mark) && !inner.includes(mark);
    if (isWrapped && inner !== '') clean = inner.trim();
  }
  return clean;
}

/** Removes bullets, heading marks, quote marks, check boxes and emoji from the start of a line. */
export const withoutDecoration = (text: string): string =>
  text.replace(LEAD, '');

export type BoxState = 'open' | 'ticked' | 'under way';

export interface ListItem {
  indent: number;
  text: string;
  box?: BoxState;
  /** Written as `- [ ]* text`. */
  isOptional: boolean;
}

export function parseListItem(text: string): ListItem | undefined {
  const body = withoutQuoteMarks(text);
  const match = LIST_ITEM.exec(body);
  if (!match) return undefined;
  const [mark, indent = '', box, star] = match;
  const behind = body.slice(mark.length);
  const worded = box === undefined ? wordedBox(behind) : undefined;
  const item: ListItem = {
    indent: indent.length,
    text: (worded ? behind.slice(worded.length) : behind).trim(),
    isOptional: star !== undefined,
  };
  const state = box === undefined ? worded?.state : stateOfBox(box);
  return state === undefined ? item : { ...item, box: state };
}

/** By the character between the brackets. */
function stateOfBox(box: string): BoxState {
  if (box === ' ') return 'open';
  return '-~/'.includes(box) ? 'under way' : 'ticked';
}

/** `[completed] `, `[in_progress] `, `[pending] `. */
function wordedBox(
  text: string,
): { state: BoxState; length: number } | undefined {
  const [mark = '', word = ''] = WORDED_BOX.exec(text) ?? [];
  const state = BOX_STATES[phraseMark(word) ?? 'skipped'];
  return state === undefined ? undefined : { state, length: mark.length };
}

const WORDED_BOX = pattern`^\[([${LETTERS}A-Z _-]{2,20})\]\s+(?=\S)`;
const BOX_STATES: Partial<Record<Mark, BoxState>> = {
  done: 'ticked',
  'under way': 'under way',
  open: 'open',
};

// A date or a label in brackets is longer than a mark, and a link has no space behind the bracket.
/** `- `, `2. `. */
const BULLET = String.raw`(?:[-*+•]|\d{1,9}[.)])(?:\s+|$)`;
/** `[x] `, or `[ ]* ` of an optional item. */
const BOX_MARK = String.raw`\[([ \-~/${TICKS}])\ufe0f?\](\*)?(?:\s+|$)`;
const LIST_ITEM = pattern`^(\s*)${BULLET}(?:${BOX_MARK})?`;

export const withoutQuoteMarks = (text: string): string =>
  text.replace(/^(?: {0,3}> ?){1,32}/, '');

/** Only plain `key: value` lines are parsed: a status needs nothing else of YAML. Keys at the top count more than nested ones. */
export function splitFrontMatter(text: string): {
  frontMatter: ReadonlyMap<string, string>;
  body: string;
} {
  const block = FRONT_MATTER.exec(text);
  if (!block) return { frontMatter: new Map(), body: text };
  const [whole, yaml = ''] = block;
  const lines = yaml.split(/\r?\n/, MAX_LINES);
  const topLevel = lines.filter((line) => /^[a-z]/i.test(line));
  const nested = lines.filter((line) => /^\s+[a-z]/i.test(line));
  const frontMatter = new Map<string, string>();
  for (const line of [...topLevel, ...nested]) {
    const { label, value } = parseField(line) ?? { label: '', value: '' };
    if (label === '' || frontMatter.has(label)) continue;
    frontMatter.set(label, value.replace(/^(["'])(.*)\1$/, '$2'));
  }
  return { frontMatter, body: text.slice(whole.length) };
}

/** `---`, at the start of a file. */
const FIRST_RULE = String.raw`^\uFEFF?---[ \t]*\r?\n`;
/** Empty lines and comments, then `key:`. */
const FIRST_KEY = String.raw`(?=(?:[ \t]*(?:#[^\r\n]*)?\r?\n){0,100}\w[\w -]{0,40}:)`;
/** `---` or `...` in a line of its own. */
const LAST_RULE = String.raw`\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)`;
// It has to start with a key, after comments at most: the first line of a plan may also be a rule.
const FRONT_MATTER = pattern`${FIRST_RULE}${FIRST_KEY}([^]*?)${LAST_RULE}`;

export interface Box {
  state: BoxState;
  text: string;
  /** How far it is nested in other boxes. */
  depth: number;
}
