import {
  PICTURE,
  pattern,
  MAX_LINES,
  scanMarkdown,
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
  heading?: Heading | undefined;
  item: ListItem | undefined;
  field: Field | undefined;
}

export const readLines = (text: string, maxLines = MAX_LINES): SourceLine[] =>
  scanMarkdown(text, { maxLines, hideStruckText: true }).map(
    ({ number, text: shown, kind, heading }) => {
      const line = kind === 'code' ? '' : shown;
      return {
        number,
        text: line,
        shown,
        heading,
        item: parseListItem(line),
        field: parseField(line),
      };
    },
  );

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
  return {
    label: name
      .trim()
      .toLowerCase()
      .replaceAll(/[\s_-]+/g, ' '),
    value: cleanText(closed ? value : withoutEmphasisMark(value, opened)),
  };
}

// Limited, so that hostile input stays cheap; nobody decorates a line this much.
const DECORATION = String.raw`(?:[\s#*_\-+>|~=•\x60]|${PICTURE}){0,100}`;
const LEAD = pattern`^${DECORATION}(?:\d{1,9}[.)]\s${DECORATION})?(?:\[[ ${TICKS}]?\ufe0f?\]${DECORATION})?`;
const LABEL = /^([a-z][a-z _-]{0,40}?)([*_`]{0,3})\s{0,3}[:：]/i;

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
  return {
    indent: indent.length,
    text: body.slice(mark.length).trim(),
    isOptional: star !== undefined,
    ...(box && { box: stateOfBox(box) }),
  };
}

/** By the character between the brackets. */
function stateOfBox(box: string): NonNullable<ListItem['box']> {
  if (box === ' ') return 'open';
  return box === '-' || box === '~' ? 'under way' : 'ticked';
}

// A date or a label in brackets is longer than a mark, and a link has no space behind the bracket.
const LIST_ITEM = pattern`^(\s*)(?:[-*+•]|\d{1,9}[.)])(?:\s+|$)(?:\[([ \-~${TICKS}])\ufe0f?\](\*)?(?:\s+|$))?`;

export const withoutQuoteMarks = (text: string): string =>
  text.replace(/^(?: {0,3}> ?){1,32}/, '');

/** Only plain `key: value` lines are parsed: a status needs nothing else of YAML. */
export function splitFrontMatter(text: string): {
  frontMatter: ReadonlyMap<string, string>;
  body: string;
} {
  const block = FRONT_MATTER.exec(text);
  if (!block) return { frontMatter: new Map(), body: text };
  const [whole, yaml = ''] = block;
  const fields = yaml
    .split(/\r?\n/, MAX_LINES)
    .filter((line) => /^[a-z]/i.test(line))
    .flatMap((line) => parseField(line) ?? []);
  return {
    frontMatter: new Map(
      fields.map(({ label, value }) => [
        label,
        value.replace(/^(["'])(.*)\1$/, '$2'),
      ]),
    ),
    body: text.slice(whole.length),
  };
}

// It has to start with a key, after comments at most: the first line of a plan may also be a rule.
const FRONT_MATTER =
  /^\uFEFF?---[ \t]*\r?\n(?=(?:[ \t]*(?:#[^\r\n]*)?\r?\n){0,100}\w[\w -]{0,40}:)([^]*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;

export interface Box {
  state: BoxState;
  text: string;
  /** How far it is nested in other boxes. */
  depth: number;
}
