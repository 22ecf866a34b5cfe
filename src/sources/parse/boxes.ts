import { pictureMark } from '../../state/words/signs.ts';
import type { Box, BoxState, ListItem } from './field-line.ts';

/** Reads the items of a list that have boxes, and how far each is nested in others. */
export class BoxReader {
  #indents: number[] = [];

  /** With `takesSigns`, `- ✅ text` is an item, too. In some plans it only begins a line of praise. */
  constructor(private readonly takesSigns = false) {}

  startSection(): void {
    this.#indents = [];
  }

  /** Optional items do not keep a plan open; those of a template, such as `{{TASK}}` or `1.1`, and quoted ones are no items. */
  read(item: ListItem, line: string): Box | undefined {
    const isItem = item.box !== undefined || this.takesSigns;
    const state = isItem ? boxState(item) : undefined;
    if (state === undefined) return undefined;
    this.#indents = this.#indents.filter((outer) => outer < item.indent);
    const depth = this.#indents.length;
    this.#indents.push(item.indent);

    // A box without text is one whose task was struck out.
    const isEmpty = item.text === '' || /\{\{|^[\d.]*$/.test(item.text);
    const isQuoted = line.trimStart().startsWith('>');
    if (item.isOptional || isEmpty || isQuoted) return undefined;
    return { state, text: item.text, depth };
  }
}

/** A leading ✅ is a tick, and counts more than an empty box before it. */
function boxState({ text, box }: ListItem): BoxState | undefined {
  if (box !== undefined && box !== 'open') return box;
  const first = /^\S{1,2}(?=\s)/.exec(text)?.[0] ?? '';
  const mark = pictureMark(first);
  if (mark === 'done') return 'ticked';
  return mark === 'under way' || mark === 'open' ? mark : box;
}
