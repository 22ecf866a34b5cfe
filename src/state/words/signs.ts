import { SIGNS, type Mark } from './vocabulary.ts';

/** A variation selector, which some editors put behind a picture or into a box. */
const SELECTOR = /\ufe0f/g;

/** The mark of the picture or box in a text; of several, the one that is listed first. */
export function pictureMark(text: string): Mark | undefined {
  const plain = text.replace(SELECTOR, '');
  for (const [mark, signs] of signTable())
    if (signs.some((sign) => plain.includes(sign))) return mark;
  return undefined;
}

let table: [Mark, string[]][] | undefined;

function signTable(): readonly [Mark, readonly string[]][] {
  // `[ ]` is a sign with a space in it.
  table ??= SIGNS.map(([mark, signs]) => [mark, signs.split(/ (?!\])/)]);
  return table;
}
