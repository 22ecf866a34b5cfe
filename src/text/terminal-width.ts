/** Spaces behind the text up to a width in terminal columns. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** At most `max` terminal columns, with an ellipsis where something is left out. */
export function cut(text: string, max: number): string {
  if (widthOf(text) <= max) return text;
  let kept = '';
  for (const character of text) {
    if (widthOf(kept + character) > max - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

const COMBINING_MARK = /\p{M}/u;
/** East Asian scripts, their punctuation and full-width forms, emoji, and rarer ideographs. */
const WIDE = new RegExp(
  [
    '[\\u1100-\\u115F]',
    '[\\u2E80-\\uA4CF]',
    '[\\uAC00-\\uD7A3]',
    '[\\uF900-\\uFAFF]',
    '[\\uFE30-\\uFE6F]',
    '[\\uFF00-\\uFF60]',
    '[\\u{1F300}-\\u{1FAFF}]',
    '[\\u{20000}-\\u{3FFFD}]',
  ].join('|'),
  'u',
);

/** Width in terminal columns: East Asian characters and emoji take two, combining marks none. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    if (COMBINING_MARK.test(character)) continue;
    width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}
