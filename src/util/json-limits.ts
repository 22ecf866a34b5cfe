/** So small a text is never more than can be walked. */
const SMALL = 5_000;
const MAX_DEPTH = 200;
const MAX_PARTS = 200_000;

/**
 * Whether JSON text makes a value that can be held in memory and walked: a megabyte of brackets is a stack of half a
 * million levels, or a hundred megabytes of lists.
 */
export function isWithinLimits(text: string): boolean {
  if (text.length <= SMALL || hasFewBrackets(text)) return true;
  let depth = 0;
  let parts = 0;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case 0x22: // "
        index = endOfString(text, index);
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        parts += 1;
        if (depth > MAX_DEPTH || parts > MAX_PARTS) return false;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
      case 0x2c: // ,
        parts += 1;
        break;
      default:
    }
  }
  return parts <= MAX_PARTS;
}

/** Then it has no more levels than brackets, and no more parts than characters: to count is quicker than to walk. */
function hasFewBrackets(text: string): boolean {
  return text.length <= MAX_PARTS && text.split('{').length + text.split('[').length <= MAX_DEPTH;
}

/** The place of the closing quote; what has none ends the text. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === 0x5c) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}
