/**
 * Which characters count as hidden: a terminal obeys them or shows nothing, so text could use them to look different
 * from what it is. The classes are written out, because Unicode property classes take a hook milliseconds to compile.
 */
const FORMAT_CHARACTERS =
  '\\u007F-\\u009F\\u00AD\\u061C\\u180E\\u200B\\u200E\\u200F\\u2028-\\u202E\\u2060-\\u206F\\uFEFF\\uFFF0-\\uFFFB';
const SURROGATE_PAIRS =
  '[\\uDB40-\\uDB43][\\uDC00-\\uDFFF]|\\uD82F[\\uDCA0-\\uDCA3]|\\uD834[\\uDD73-\\uDD7A]';
/** One joiner or variation selector is part of a word or an emoji; a row of them is not. */
const JOINER_ROW = '(?:\\u200C|\\u200D|[\\uFE00-\\uFE0F]){4,}';

function hidden(controls: string): string {
  return `(?:[${controls}${FORMAT_CHARACTERS}]|${SURROGATE_PAIRS}|${JOINER_ROW})`;
}

/** Tested first: most lines match, and compiling the other patterns takes a hook half a millisecond. */
export const PRINTABLE_ASCII = /^[ -~]*$/;

/** In a single line, where tabs and line ends are hidden characters too. */
export const HIDDEN_IN_LINE = new RegExp(`${hidden('\\u0000-\\u001F')}+`, 'g');

/** In a text of several lines: tabs and line feeds are layout. */
export const HIDDEN_IN_TEXT = new RegExp(hidden('\\u0000-\\u0008\\u000B-\\u001F'), 'g');

/** In serialized JSON, which escapes the ASCII control characters itself. */
export const HIDDEN_IN_JSON = new RegExp(hidden(''), 'g');

/** Half of a surrogate pair, which a JSON escape can produce. */
export const LONE_SURROGATE =
  /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Characters without a glyph that may stand between letters without changing how a word looks. */
export const IGNORABLE_IN_WORD =
  /\u034F|\u115F|\u1160|\u17B4|\u17B5|[\u180B-\u180D]|\u180F|\u200C|\u200D|\u3164|[\uFE00-\uFE0F]|\uFFA0/g;

export function hasHiddenCharacters(line: string): boolean {
  return !PRINTABLE_ASCII.test(line) && line.search(HIDDEN_IN_LINE) >= 0;
}
