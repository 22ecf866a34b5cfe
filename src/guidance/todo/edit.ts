import { boxesIn, linesOf, type Box, type TodoItem } from './list.ts';
import { listedBoxes, endOfContent, type ListedBox } from './list-shape.ts';

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
  const candidates = [afterLastItem(text, item), atEndOfText(text, item)];
  return (
    candidates.find(
      (candidate) =>
        candidate !== null && JSON.stringify(boxesIn(candidate).map(plainItem)) === expected,
    ) ?? null
  );
}

export function plainItem({ n, text, done }: TodoItem): TodoItem {
  return { n, text, done };
}

function afterLastItem(text: string, item: string): string | null {
  const boxes = listedBoxes(text);
  const last = boxes.at(-1);
  if (last === undefined) return null;
  const model = outermost(boxes, last);
  const { quote, indent, gap } = model.lead;
  const line = `${quote}${indent}${nextMark(boxes, model)}${gap}[ ] ${item}`;
  const lines = linesOf(text);
  const end = endOfContent(text, last, model);
  const lastLine = lines[end] ?? '';
  const lineEnd = lineEndOf(lines[last.line] ?? '') || lineEndOf(lines[0] ?? '') || '\n';
  lines[end] = lineEndOf(lastLine) === '' ? lastLine + lineEnd + line : lastLine + line + lineEnd;
  return lines.join('');
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

/** A new item belongs to the top level of the list, not among the children of the last item. */
function outermost(boxes: readonly ListedBox[], last: ListedBox): ListedBox {
  return boxes.reduceRight(
    (outer, box) => (isSameList(last, box) && indentOf(box) < indentOf(outer) ? box : outer),
    last,
  );
}

/** Numbers continue, unless the list gives every item the same number. */
function nextMark(boxes: readonly ListedBox[], model: ListedBox): string {
  const { mark } = model.lead;
  const number = Number.parseInt(mark, 10);
  if (Number.isNaN(number)) return mark;
  const previous = boxes.findLast(
    (box) => box.n < model.n && isSameList(model, box) && indentOf(box) === indentOf(model),
  );
  return previous?.lead.mark === mark ? mark : `${number + 1}${mark.slice(-1)}`;
}

function isSameList(one: ListedBox, other: ListedBox): boolean {
  return one.section === other.section && one.lead.quote === other.lead.quote;
}

function indentOf({ columns }: ListedBox): number {
  return columns.indent.length;
}
