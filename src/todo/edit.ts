import { boxesIn, linesOf, type Box, type TodoItem } from './list.ts';
import { listedBoxes, endOfContent, type Listed } from './list-shape.ts';

/** One line that a check box can carry; null where nothing of it would show. */
export function itemText(given: string): string | null {
  const text = wellFormed(given)
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  return boxesIn(`- [ ] ${text}`).length === 1 ? text : null;
}

/** What a file would give back: half a character cannot be written. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

export function withTick(text: string, { at }: Box): string {
  return `${text.slice(0, at)}x${text.slice(at + 1)}`;
}

/** The text with one more item, behind all others; null where nothing written there would be an item. */
export function withItem(text: string, item: string): string | null {
  const before = boxesIn(text);
  const added = boxesIn(`- [ ] ${item}`).map((box) => ({ ...box, n: before.length + 1 }));
  const expected = JSON.stringify([...before, ...added].map(plainItem));
  const candidates = [afterTheLast(text, item), atTheEnd(text, item)];
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

function afterTheLast(text: string, item: string): string | null {
  const boxes = listedBoxes(text);
  const last = boxes.at(-1);
  if (last === undefined) return null;
  const model = outermost(boxes, last);
  const { quote, indent, gap } = model.lead;
  const line = `${quote}${indent}${nextMark(boxes, model)}${gap}[ ] ${item}`;
  const lines = linesOf(text);
  const end = endOfContent(text, last, model);
  const former = lines[end] ?? '';
  const lineEnd = endOf(lines[last.line] ?? '') || endOf(lines[0] ?? '') || '\n';
  lines[end] = endOf(former) === '' ? former + lineEnd + line : former + line + lineEnd;
  return lines.join('');
}

function atTheEnd(text: string, item: string): string {
  const line = `- [ ] ${item}`;
  if (text.replace(/^\uFEFF/, '') === '') return `${text}${line}\n`;
  const lines = linesOf(text);
  const last = lines.at(-1) ?? '';
  const lineEnd = endOf(lines[0] ?? '') || '\n';
  const closing = endOf(last) === '' ? lineEnd : '';
  const gap = last.trim() === '' ? '' : lineEnd;
  return `${text}${closing}${gap}${line}${lineEnd}`;
}

function endOf(line: string): string {
  return /(?:\r\n|\r|\n|)$/.exec(line)?.[0] ?? '';
}

/** A new item stands beside the list's own ones, not among the parts of the last. */
function outermost(boxes: readonly Listed[], last: Listed): Listed {
  return boxes.reduceRight(
    (outer, box) => (isBeside(last, box) && indentOf(box) < indentOf(outer) ? box : outer),
    last,
  );
}

/** Numbers go on, unless the list gives all of its items the same one. */
function nextMark(boxes: readonly Listed[], model: Listed): string {
  const { mark } = model.lead;
  const number = Number.parseInt(mark, 10);
  if (Number.isNaN(number)) return mark;
  const former = boxes.findLast(
    (box) => box.n < model.n && isBeside(model, box) && indentOf(box) === indentOf(model),
  );
  return former?.lead.mark === mark ? mark : `${number + 1}${mark.slice(-1)}`;
}

function isBeside(one: Listed, other: Listed): boolean {
  return one.section === other.section && one.lead.quote === other.lead.quote;
}

function indentOf({ columns }: Listed): number {
  return columns.indent.length;
}
