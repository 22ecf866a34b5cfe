export const pad = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)));

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

/** Width in terminal columns: East Asian characters and emoji take two, combining marks none. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/\p{M}/u.test(character)) continue;
    const wide =
      /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;
    width += wide.test(character) ? 2 : 1;
  }
  return width;
}
