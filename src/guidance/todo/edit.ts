import { sourceLines } from '../../text/markdown/lines.ts';
import { scanMarkdown } from '../../text/markdown/scan.ts';
import { boxesIn, linesOf, type Box, type TodoItem } from './list.ts';

/** The text of an item on one line; null if it would not be recognized as a check box item. */
export function itemText(given: string): string | null {
  const text = wellFormed(given)
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  return boxesIn(`- [ ] ${text}`).length === 1 ? text : null;
}

/** Lone surrogates cannot be written as UTF-8, so they are replaced as the encoder would do. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

export function withTick(text: string, { at }: Box): string {
  return `${text.slice(0, at)}x${text.slice(at + 1)}`;
}

/** The text with one more item at the end; null if no position there would make it an item. */
export function withItem(text: string, item: string): string | null {
  const before = boxesIn(text);
  const added = boxesIn(`- [ ] ${item}`).map((box) => ({ ...box, n: before.length + 1 }));
  const expected = JSON.stringify([...before, ...added].map(plainItem));
  const candidates = [...afterLastItem(text, before, item), atEndOfText(text, item)];
  const isRight = (candidate: string): boolean =>
    JSON.stringify(boxesIn(candidate).map(plainItem)) === expected;
  return candidates.find(isRight) ?? null;
}

export function plainItem({ n, text, done }: TodoItem): TodoItem {
  return { n, text, done };
}

/** In the style of the last list, below all that belongs to its last item. */
function afterLastItem(text: string, boxes: readonly Box[], item: string): string[] {
  const last = boxes.at(-1);
  if (last === undefined) return [];
  const lines = linesOf(text);
  const columns = sourceLines(text);
  const leadAt = ({ line }: Box): Lead => leadOf(columns[line] ?? '');
  const { quote } = leadAt(last);
  // A heading separates two lists.
  const top = scanMarkdown(text).findLastIndex(({ heading }, at) => heading && at < last.line);
  const list = boxes.filter((box) => box.line > top && leadAt(box).quote === quote);
  // The new item belongs to the top level of the list, not among the children of the last item.
  const indentOf = (box: Box): number => leadAt(box).indent.length;
  const model = list.reduceRight((outer, box) => (indentOf(box) < indentOf(outer) ? box : outer));
  const previous = list.findLast((box) => box.n < model.n && indentOf(box) === indentOf(model));
  const written = leadOf((lines[model.line] ?? '').replace(/^\uFEFF/, ''));
  const mark = nextMark(written.mark, previous && leadAt(previous).mark);
  const line = `${written.quote}${written.indent}${mark}${written.gap}[ ] ${item}`;
  const end = endOfContent(text, columns, last.line, leadAt(model));
  const ending = lines[end] ?? '';
  const lineEnd = lineEndOf(lines[last.line] ?? '') || lineEndOf(lines[0] ?? '') || '\n';
  lines[end] = lineEndOf(ending) === '' ? ending + lineEnd + line : ending + line + lineEnd;
  return [lines.join('')];
}

/** The text before the brackets of a check box. */
type Lead = Record<'quote' | 'indent' | 'mark' | 'gap', string>;

// Two expressions, because a single one would backtrack over the blanks between quote marks.
const QUOTE = /^(?: {0,3}>[ \t]?)*/;
const LIST_MARK = /^([ \t]*)([^ \t]+)([ \t]+)/;

function leadOf(line: string): Lead {
  const [quote = ''] = QUOTE.exec(line) ?? [];
  const [, indent = '', mark = '', gap = ''] = LIST_MARK.exec(line.slice(quote.length)) ?? [];
  return { quote, indent, mark, gap };
}

/** Numbers continue, unless the list gives every item the same number. */
function nextMark(mark: string, previous: string | undefined): string {
  const number = Number.parseInt(mark, 10);
  return Number.isNaN(number) || previous === mark ? mark : `${number + 1}${mark.slice(-1)}`;
}

/** A line that starts so starts a block; any other continues the paragraph above, whatever its indentation. */
const BLOCK_START =
  /^ {0,3}(?:#|>|<|```|~~~|[-+*](?: |$)|\d{1,9}[.)](?: |$)|([-_*])(?: *\1){2,} *$)/;

/** The last line that belongs to the item in line `from` or to its parent, so that text below an item stays below it. */
function endOfContent(text: string, lines: readonly string[], from: number, parent: Lead): number {
  const scanned = scanMarkdown(text);
  const { quote, indent, mark, gap } = parent;
  const column = indent.length + mark.length + gap.length;
  const quoteMarks = new RegExp(`^(?: {0,3}> ?){${quote.split('>').length - 1}}`);
  let end = from;
  for (let index = end + 1; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const body = line.replace(quoteMarks, '');
    if (body.trim() === '') continue;
    if (!quoteMarks.test(line)) break;
    const above = scanned[end];
    const followsText = end === index - 1 && above?.kind === 'text' && above.heading === undefined;
    const isInside = body.search(/[^ ]/) >= column;
    if (!isInside && (!followsText || BLOCK_START.test(body))) break;
    end = index;
  }
  return end;
}

function atEndOfText(text: string, item: string): string {
  const line = `- [ ] ${item}`;
  if (text.replace(/^\uFEFF/, '') === '') return `${text}${line}\n`;
  const lines = linesOf(text);
  const last = lines.at(-1) ?? '';
  const lineEnd = lineEndOf(lines[0] ?? '') || '\n';
  const closing = lineEndOf(last) === '' ? lineEnd : '';
  const gap = last.trim() === '' ? '' : lineEnd;
  return `${text}${closing}${gap}${line}${lineEnd}`;
}

function lineEndOf(line: string): string {
  return /(?:\r\n|\r|\n|)$/.exec(line)?.[0] ?? '';
}
