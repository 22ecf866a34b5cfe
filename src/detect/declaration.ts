import type { MarkdownLine } from '../markdown/types.ts';
import {
  cleanText,
  parseField,
  parseListItem,
  withoutDecoration,
  withoutQuoteMarks,
} from './field-line.ts';
import type { Field } from './field-line.ts';
import { readingPaths } from './reading-line.ts';

/** What some lines declare; each line is read on its own, so a bad one costs no other. */
export class Declaration {
  readonly fields = new Map<string, string>();
  readonly reading = new Set<string>();
  #lists: { label: string; items: string[] }[] = [];
  #openList: string[] | undefined;

  constructor(lines: MarkdownLine[]) {
    for (const line of lines) if (line.text.trim() !== '') this.#read(line);
  }

  listed(label: string): string[] {
    return this.#lists.filter((list) => list.label === label).flatMap(({ items }) => items);
  }

  #read(line: MarkdownLine): void {
    const paths = readingPaths(line.text);
    const list = listHeader(line);
    const field = parseField(line.text);
    if (paths) {
      for (const path of paths) this.reading.add(path);
      this.#openList = undefined;
    } else if (list) {
      this.#openList = list.value === '' ? [] : [list.value];
      this.#lists.push({ label: list.label, items: this.#openList });
    } else if (field && FIELDS.has(field.label) && !this.#isListed(line)) {
      if (field.value !== '' && !this.fields.has(field.label)) {
        this.fields.set(field.label, field.value);
      }
      this.#openList = undefined;
    } else {
      this.#openList = line.heading ? undefined : continueList(this.#openList, line.text);
    }
  }

  /** Once workflow and phase are known, `- type: x` in an open list is one of its items. */
  #isListed(line: MarkdownLine): boolean {
    const isDeclared = this.fields.has('workflow') && this.fields.has('phase');
    return isDeclared && this.#openList !== undefined && parseListItem(line.text) !== undefined;
  }
}

const FIELDS = new Set(['workflow', 'type', 'phase']);
const LISTS = new Set(['key reminders', 'context', 'required reading']);

/** `Context: first entry`, or without a colon as a heading or a line in bold. */
function listHeader({ text, heading }: MarkdownLine): Field | undefined {
  const field = parseField(text);
  if (field && LISTS.has(field.label)) return field;
  const line = withoutQuoteMarks(text).trim();
  if (!heading && !/^(?:[-*+]\s+)?(?:\*\*|__)/.test(line)) return undefined;
  const label = cleanText(withoutDecoration(line))
    .replace(/[*_]{1,3}$/, '')
    .trim()
    .toLowerCase();
  return LISTS.has(label) ? { label, value: '' } : undefined;
}

/** Adds an item, or the indented rest of one; the list, or nothing where this line ends it. */
function continueList(items: string[] | undefined, text: string): string[] | undefined {
  if (!items) return undefined;
  const item = parseListItem(text);
  const line = withoutQuoteMarks(text);
  const last = items.at(-1);
  if (item) {
    if (item.text !== '') items.push(item.text);
  } else if (last !== undefined && line.startsWith('  ')) {
    items[items.length - 1] = `${last} ${line.trim()}`;
  } else {
    return undefined;
  }
  return items;
}
