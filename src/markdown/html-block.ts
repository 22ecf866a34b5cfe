import type { Cursor } from './block-start.ts';

/** A block without `end` runs to the next blank line. */
export interface HtmlBlock {
  end?: RegExp;
  code: boolean;
}

export function htmlBlockAt(at: Cursor, interruptsParagraph: boolean): HtmlBlock | undefined {
  if (at.char !== '<') return undefined;
  const bounded = BOUNDED.find(({ start }) => at.match(start));
  if (bounded) return bounded;
  const isBlock = at.match(BLOCK_TAG) || (!interruptsParagraph && isLoneTag(at));
  return isBlock ? { code: false } : undefined;
}

const BOUNDED: { start: RegExp; end: RegExp; code: boolean }[] = [
  { start: /<!--/y, end: /-->/, code: false },
  {
    start: /<(?:pre|script|style|textarea)(?=[ >]|$)/iy,
    end: /<\/(?:pre|script|style|textarea)>/i,
    code: true,
  },
];

const BLOCK_TAG =
  /<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?=[ >]|\/>|$)/iy;

const LONE_TAG =
  /<(?:[a-z][a-z0-9-]*(?: +[a-z_:][\w.:-]*(?: *= *(?:[^ "'=<>`]+|'[^']*'|"[^"]*"))?)* *\/?|\/[a-z][a-z0-9-]* *)> *$/iy;

/** The length is limited because this is the only pattern that may backtrack. */
function isLoneTag(at: Cursor): boolean {
  return at.text.length - at.next < 1000 && at.match(LONE_TAG) !== null;
}

export function endsHtmlBlock(block: HtmlBlock, at: Cursor): boolean {
  return block.end?.test(at.text.slice(at.pos)) ?? false;
}
