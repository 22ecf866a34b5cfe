import {
  Cursor,
  atxHeadingAt,
  fenceAt,
  isRule,
  openContainer,
  htmlBlockAt,
  scanMarkdown,
} from '../../text/markdown/scan.ts';
import { sourceLines } from '../../text/markdown/lines.ts';
import { boxesIn, linesOf, type Box } from './list.ts';

/** The text before the brackets of a check box. */
export interface Lead {
  quote: string;
  indent: string;
  mark: string;
  gap: string;
}

export interface ListedBox extends Box {
  lead: Lead;
  /** The same with tabs expanded to columns. */
  columns: Lead;
  /** The number of headings above it: a heading separates two lists. */
  section: number;
}

export function listedBoxes(text: string): ListedBox[] {
  const written = linesOf(text.replace(/^\uFEFF/, ''));
  const columns = sourceLines(text);
  const headings = scanMarkdown(text).flatMap(({ heading }, line) => (heading ? [line] : []));
  let section = 0;
  return boxesIn(text).map((box) => {
    while ((headings[section] ?? Infinity) <= box.line) section += 1;
    return {
      ...box,
      lead: leadOf(written[box.line] ?? ''),
      columns: leadOf(columns[box.line] ?? ''),
      section,
    };
  });
}

// Two expressions, because a single one would backtrack over the blanks between quote marks.
const QUOTE = /^(?: {0,3}>[ \t]?)*/;
const LIST_MARK = /^([ \t]*)([^ \t]+)([ \t]+)/;

function leadOf(line: string): Lead {
  const [quote = ''] = QUOTE.exec(line) ?? [];
  const [, indent = '', mark = '', gap = ''] = LIST_MARK.exec(line.slice(quote.length)) ?? [];
  return { quote, indent, mark, gap };
}

/** The last line that belongs to `last` or to its parent `outer`, so that text below an item stays below it. */
export function endOfContent(text: string, last: ListedBox, outer: ListedBox): number {
  const lines = sourceLines(text);
  const scanned = scanMarkdown(text);
  const { quote, indent, mark, gap } = outer.columns;
  const column = indent.length + mark.length + gap.length;
  const quoteMarks = new RegExp(`^(?: {0,3}> ?){${quote.split('>').length - 1}}`);
  let end = last.line;
  for (let index = end + 1; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const body = line.replace(quoteMarks, '');
    if (body.trim() === '') continue;
    if (!quoteMarks.test(line)) break;
    const above = scanned[end];
    const followsText = end === index - 1 && above?.kind === 'text' && above.heading === undefined;
    const isInside = body.search(/[^ ]/) >= column;
    if (!isInside && !(followsText && continuesParagraph(body))) break;
    end = index;
  }
  return end;
}

/** A line that starts no block continues the paragraph above, whatever its indentation. */
function continuesParagraph(line: string): boolean {
  const at = new Cursor(line);
  if (at.indent >= 4) return true;
  const leaf = atxHeadingAt(at) ?? fenceAt(at) ?? htmlBlockAt(at, true);
  return leaf === undefined && !isRule(at) && openContainer(at, false) === undefined;
}
