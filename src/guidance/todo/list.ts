import { parseListItem } from '../../sources/parse/field-line.ts';
import { scanMarkdown } from '../../text/markdown/scan.ts';
import { asWord } from '../../text/sanitize.ts';

export const MAX_TODO_BYTES = 200_000;

/** `n` counts from the top, including ticked items. */
export type TodoItem = { n: number; text: string; done: boolean };

/** `line` is the index of its line, `at` the offset in the text of the mark between its brackets. */
export type Box = TodoItem & { line: number; at: number };

interface Progress {
  done: number;
  total: number;
  /** The first item that is not ticked. */
  current: TodoItem | null;
}

export function progressOf(items: readonly TodoItem[]): Progress {
  const open = items.filter((item) => !item.done);
  return {
    done: items.length - open.length,
    total: items.length,
    current: open[0] ?? null,
  };
}

const MAX_ITEM = 200;

/** For the guidance only the progress and the current item, because a command shows the list. */
export function todoLines(path: string, items: readonly TodoItem[]): string[] {
  const { done, total, current } = progressOf(items);
  if (total === 0) return [];
  const now =
    current === null
      ? ''
      : `; now ${current.n}: ${asWord(current.text, MAX_ITEM)}`;
  return [
    `In ${asWord(path)}: ${done} of ${total} done (\`holdfast todo\` shows the list)${now}`,
  ];
}

/** The check boxes of a Markdown text; those in code and in comments are examples, not items. */
export function boxesIn(text: string): Box[] {
  const boxes: Box[] = [];
  const scanned = scanMarkdown(text);
  let offset = text.startsWith('\uFEFF') ? 1 : 0;
  for (const [line, written] of linesOf(text.slice(offset)).entries()) {
    const seen = scanned[line];
    // The scanner removes comments, so an item counts only if both the scanner and the raw line show it.
    const item = seen?.kind === 'text' ? parseListItem(seen.text) : undefined;
    const before =
      item?.box && item.text ? BEFORE_MARK.exec(written)?.[0] : undefined;
    if (item && before) {
      const at = offset + before.length;
      boxes.push({
        n: boxes.length + 1,
        text: item.text,
        done: item.box === 'ticked',
        line,
        at,
      });
    }
    offset += written.length;
  }
  return boxes;
}

const BEFORE_MARK =
  /^(?:[ \t]*>)*[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+\[(?=[ xX]\])/;

/** The lines with their line ends; joined, they are the text. */
export const linesOf = (text: string): string[] =>
  text.split(/(?<=\n|\r(?!\n))/);
