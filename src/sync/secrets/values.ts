import { isLoginLabel, isPhraseLabel, isUserLabel } from './names.ts';

/** A value and its place in the text. */
export interface Value {
  value: string;
  start: number;
  end: number;
  isQuoted: boolean;
}

/** Where a value stands, which decides what ends it if it has no quotes. */
export type Place =
  /** `?token=x&page=2` */
  | 'address'
  /** `TOKEN=x` in a file of variables: all of the word. */
  | 'variable'
  | 'text';

const UNQUOTED: Record<Place, RegExp> = {
  address: /[^\s"'`<>|,;&#()[\]]+/y,
  variable: /[^\s"'`]+/y,
  text: /[^\s"'`<>|,;“”«»]+/y,
};

/** What stands at `from`, behind a sign. The label says whether it is a password, a login or a list of words. */
export function valueAt(
  text: string,
  from: number,
  label: string,
  place: Place,
): Value | null {
  if (isUserLabel(label)) return groupAt(SPACED_LOGIN, text, from);
  const login = isLoginLabel(label) ? groupAt(LOGIN, text, from) : null;
  const words =
    groupAt(APP_PASSWORD, text, from) ??
    (isPhraseLabel(label) ? groupAt(WALLET_WORDS, text, from) : null);
  return (
    login ??
    (words && { ...words, isQuoted: true }) ??
    readValue(text, from, place)
  );
}

/** "ann/x", "ann / x", "ann:x": the password is the second part; not `http://x`. */
const LOGIN =
  /[*_"'`]{0,3}[^\s/:"'`]{1,60}[ \t]?[/:](?!\/\/)[ \t]?([^\s"'`<>,;]+)/y;
const SPACED_LOGIN = /[*_"'`]{0,3}[^\s/:"'`]{1,60}[ \t]\/[ \t]([^\s"'`<>,;]+)/y;
/** "ribbon castle orbit …": twelve to 24 words. */
const WALLET_WORDS = /([a-z]{3,8}(?:[ \t]{1,3}[a-z]{3,8}){11,23})/y;

/** "abcd efgh ijkl mnop", as Google writes a password for a program. */
const APP_PASSWORD = /([a-z]{4}(?: [a-z]{4}){3})(?![ \t]?[\p{L}\p{N}])/uy;

/** The group of a pattern, which the match ends with. */
function groupAt(pattern: RegExp, text: string, from: number): Value | null {
  const [whole = '', value = ''] = matchAt(pattern, text, from) ?? [];
  if (value === '') return null;
  const end = from + whole.length;
  return { value, start: end - value.length, end, isQuoted: false };
}

/** Marks of Markdown and prefixes of strings before a quote: `**Token:** x`, `b"x"`, `@"x"`. */
const OPENERS = /[*_]{0,3}[ \t]*(?:[a-zA-Z@$]{1,2}(?=["']))?/y;
/** What opens and what closes a value, the longest first. */
const QUOTES: readonly (readonly [opening: string, closing: string])[] = [
  ['"""', '"""'],
  ['\\"', '\\"'],
  ["\\'", "\\'"],
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['“', '”'],
  ['„', '“'],
  ['«', '»'],
  ['‘', '’'],
];
/** `${X}`, `{{ x }}`, `$(x y)`, `<x y>`: a reference or a placeholder is read as a whole. */
const BRACKETED: readonly RegExp[] = [
  /\$?\{\{[^\n]{0,200}?\}\}/y,
  /\$?\{[^{}\n]{0,200}\}/y,
  /\$?\([^()\n]{0,200}\)/y,
  /<[^<>\n]{0,200}>/y,
];

function readValue(text: string, from: number, place: Place): Value | null {
  const at = from + (matchAt(OPENERS, text, from)?.[0].length ?? 0);
  const [opening = '', closing = ''] =
    QUOTES.find(([mark]) => text.startsWith(mark, at)) ?? [];
  const start = at + opening.length;
  const line = text.slice(start, endOfLine(text, start));
  const quoted = opening === '' ? null : closingQuote(line, closing);
  if (quoted !== null) {
    // What stands in backticks may be code.
    const isQuoted = opening !== '`';
    return {
      value: line.slice(0, quoted),
      start,
      end: start + quoted,
      isQuoted,
    };
  }
  const forms = [...BRACKETED, UNQUOTED[place]];
  const value = forms
    .map((form) => matchAt(form, line, 0)?.[0])
    .find((match) => match !== undefined);
  if (value === undefined) return null;
  return { value, start, end: start + value.length, isQuoted: false };
}

/** Where the quote ends: with a backslash before it, it is a part of the value. */
function closingQuote(line: string, quote: string): number | null {
  for (
    let at = line.indexOf(quote);
    at >= 0;
    at = line.indexOf(quote, at + 1)
  ) {
    if (line[at - 1] !== '\\') return at;
  }
  return null;
}

const MAX_VALUE = 4_000;

/** Or how far a value can go, so that many names on one long line take no time. */
export function endOfLine(text: string, from: number): number {
  const within = text.slice(from, from + MAX_VALUE);
  const length = within.indexOf('\n');
  return from + (length < 0 ? within.length : length);
}

export function matchAt(
  pattern: RegExp,
  text: string,
  at: number,
): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
