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

/** Collects what the lines of a section declare. Each line is parsed on its own, so a bad one costs no other. */
export class Declaration {
  readonly fields = new Map<string, string>();
  readonly reading = new Set<string>();
  #lists: { label: string; items: string[] }[] = [];
  #openList: string[] | undefined;
  #isBelowOtherHeading = false;

  get isComplete(): boolean {
    return this.fields.has('workflow') && this.fields.has('phase');
  }

  listed(label: string): string[] {
    return this.#lists.filter((list) => list.label === label).flatMap(({ items }) => items);
  }

  /** Whether this line gives a field that the section does not have yet. */
  lacks({ text }: MarkdownLine): boolean {
    const field = parseField(text);
    return field !== undefined && FIELDS.has(field.label) && !this.fields.has(field.label);
  }

  add(line: MarkdownLine): void {
    if (line.text.trim() === '') return;
    const paths = readingPaths(line.text);
    const list = listLabel(line);
    const field = parseField(line.text);
    if (paths) {
      for (const path of paths) this.reading.add(path);
      this.#openList = undefined;
    } else if (list) {
      this.#openList = list.value === '' ? [] : [list.value];
      this.#lists.push({ label: list.label, items: this.#openList });
    } else if (field && this.#accepts(field, line)) {
      if (field.value !== '' && !this.fields.has(field.label)) {
        this.fields.set(field.label, field.value);
      }
      this.#openList = undefined;
    } else {
      if (line.heading) this.#isBelowOtherHeading = true;
      this.#openList = line.heading ? undefined : continueList(this.#openList, line.text);
    }
  }

  #accepts({ label }: Field, line: MarkdownLine): boolean {
    if (label === 'status') {
      if (this.#isBelowOtherHeading || isOfListItem(line)) return false;
    } else if (!FIELDS.has(label)) {
      return false;
    }
    return !this.#isListed(line);
  }

  /** Once workflow and phase are known, `- type: x` in an open list is one of its items. */
  #isListed(line: MarkdownLine): boolean {
    return (
      this.isComplete && this.#openList !== undefined && parseListItem(line.text) !== undefined
    );
  }
}

/** Whether a line declares something by its form, so that a rule below it does not make it a heading. */
export function isDeclarationLine(line: MarkdownLine): boolean {
  const label = parseField(line.text)?.label ?? '';
  return (
    FIELDS.has(label) ||
    label === 'status' ||
    listLabel(line) !== undefined ||
    readingPaths(line.text) !== undefined
  );
}

const FIELDS = new Set(['workflow', 'type', 'phase']);
const LISTS = new Set(['key reminders', 'context', 'required reading']);

/** A status that is indented or has a check box is that of a task, not of the workflow. */
function isOfListItem({ text }: MarkdownLine): boolean {
  const item = parseListItem(text);
  return item?.box !== undefined || /^\s{2}/.test(withoutQuoteMarks(text));
}

/** `Context: first entry`, or without a colon as a heading or a line in bold. */
function listLabel({ text, heading }: MarkdownLine): Field | undefined {
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

/** Adds an item, or the indented rest of the last one. Returns undefined if the line ends the list. */
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
