import { PICTURE } from '../markdown/characters.ts';

export interface Field {
  /** In lower case, its words parted by one space. */
  label: string;
  value: string;
}

/** Reads `Label: value` under any decoration: bullets, heading marks, quotes, emphasis, emoji. */
export function parseField(text: string): Field | undefined {
  const lead = LEAD.exec(text)?.[0] ?? '';
  const opened = /[*_`]{0,3}$/.exec(lead.slice(-3))?.[0] ?? '';
  const match = LABEL.exec(text.slice(lead.length, lead.length + 80));
  if (!match) return undefined;
  const [whole, name = '', closed = ''] = match;
  const value = text.slice(lead.length + whole.length);
  return {
    label: name
      .trim()
      .toLowerCase()
      .replaceAll(/[\s_-]+/g, ' '),
    value: cleanText(closed ? value : withoutEmphasisMark(value, opened)),
  };
}

// Bounded, because a line with more decoration than this is none that a person wrote.
const DECORATION = String.raw`(?:[\s#*_\-+>|~=•\x60]|${PICTURE}){0,100}`;
const LEAD = new RegExp(
  String.raw`^${DECORATION}(?:\d{1,9}[.)]\s${DECORATION})?(?:\[[ xX]?\]${DECORATION})?`,
);
const LABEL = /^([a-z][a-z _-]{0,40}?)([*_`]{0,3})\s{0,3}[:：]/i;

/** The mark opened before the label is closed behind the colon (`**Label:** x`) or at the end (`_Label: x_`). */
function withoutEmphasisMark(value: string, mark: string): string {
  if (mark === '') return value;
  if (value.startsWith(mark)) return value.slice(mark.length);
  const trimmed = value.trimEnd();
  return trimmed.endsWith(mark) ? trimmed.slice(0, -mark.length) : value;
}

/** A text without the emphasis or backticks around it. */
export function cleanText(text: string, marks = ['__', '*', '_', '`']): string {
  let clean = text.replaceAll('**', '').trim();
  for (const mark of marks) {
    const inner = clean.slice(mark.length, -mark.length);
    const isWrapped = clean.startsWith(mark) && clean.endsWith(mark) && !inner.includes(mark);
    if (isWrapped && inner !== '') clean = inner.trim();
  }
  return clean;
}

/** What a line says once bullets, heading marks, quotes, check boxes and emoji before it are gone. */
export function withoutDecoration(text: string): string {
  return text.replace(LEAD, '');
}

/** Marks and other pictures at either end; `+` or `$` may belong to a name. */
export function withoutMarks(text: string): string {
  return text
    .replaceAll(/\[[ xX]\]/g, '')
    .replace(LEADING_PICTURES, '')
    .replace(TRAILING_PICTURES, '')
    .trim();
}

const LEADING_PICTURES = new RegExp(String.raw`^(?:\s|${PICTURE}){1,20}`);
const TRAILING_PICTURES = new RegExp(String.raw`(?:\s|${PICTURE}){1,20}$`);

interface ListItem {
  indent: number;
  text: string;
  box?: 'open' | 'ticked';
}

export function parseListItem(text: string): ListItem | undefined {
  const body = withoutQuoteMarks(text);
  const match = /^(\s*)(?:[-*+•]|\d{1,9}[.)])\s+(?:\[([ xX])\]\s+)?/.exec(body);
  if (!match) return undefined;
  const [mark, indent = '', box] = match;
  return {
    indent: indent.length,
    text: body.slice(mark.length).trim(),
    ...(box !== undefined && { box: box === ' ' ? 'open' : 'ticked' }),
  };
}

export function withoutQuoteMarks(text: string): string {
  return text.replace(/^(?: {0,3}> ?){1,32}/, '');
}
