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

/** In the style of the last of the outermost items, below what is indented under the last item. */
function afterLastItem(text: string, boxes: readonly Box[], item: string): string[] {
  const last = boxes.at(-1);
  if (last === undefined) return [];
  const lines = linesOf(text);
  const leadOf = ({ line }: Box): string =>
    /^\uFEFF?([^[]*)/.exec(lines[line] ?? '')?.[1]?.replace(/\d+/, (n) => `${Number(n) + 1}`) ?? '';
  const indentOf = (box: Box): number => leadOf(box).search(/[^ \t]/);
  const model = boxes.reduceRight((outer, box) => (indentOf(box) < indentOf(outer) ? box : outer));
  const line = `${leadOf(model)}[ ] ${item}`;
  const below = lines.slice(last.line + 1);
  const next = below.findIndex((other) => /^\S/.test(other));
  const own = next < 0 ? below : below.slice(0, next);
  const end = last.line + 1 + own.findLastIndex((other) => other.trim() !== '');
  const ending = lines[end] ?? '';
  const lineEnd = lineEndOf(lines[last.line] ?? '') || lineEndOf(lines[0] ?? '') || '\n';
  lines[end] = lineEndOf(ending) === '' ? ending + lineEnd + line : ending + line + lineEnd;
  return [lines.join('')];
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
