import { NOTHING, parsePhaseLine, UNFILLED_ALONE, type PhaseLine } from '../../state/phase-line.ts';
import { slugOf } from '../../text/slug.ts';
import { cleanText, withoutDecoration, withoutQuoteMarks } from './field-line.ts';
import type { Field, SourceLine } from './field-line.ts';

/** A line of the local file, with what it declares by its form. */
export interface DeclarationLine extends SourceLine {
  declares: Field | undefined;
  /** The paths in a line that starts with `@`, each with its `@`. */
  paths: string[] | undefined;
  /** The name in a `Workflow:` line; undefined for `None` and unfilled placeholders. */
  workflow: string | undefined;
  /** Of a heading. Text directly above a `---` is one by Markdown's rules, but often a declaration with a rule below it. */
  level: number | undefined;
}

export function parseLine(line: SourceLine): DeclarationLine {
  const { text, heading, field } = line;
  const paths = readingPaths(text);
  // `Current Phase:` is a `Phase:` line.
  const label = field
    ? field.label.replace(/^(?:current|active) (?=(?:workflow|phase|status)$)/, '')
    : listTitle(line);
  const isKnown = LISTS.has(label) || (field !== undefined && FIELDS.has(label));
  const declares = isKnown ? { label, value: field?.value ?? '' } : undefined;
  const isUnderlined = heading?.isUnderlined && (declares ?? paths);
  const value = declares?.label === 'workflow' ? declares.value : '';
  const isNamed = value !== '' && !NOTHING.test(value) && !UNFILLED_ALONE.test(value);
  return {
    ...line,
    declares,
    paths,
    workflow: isNamed ? value : undefined,
    level: heading?.lines === 1 && !isUnderlined ? heading.level : undefined,
  };
}

const FIELDS = new Set(['workflow', 'type', 'phase', 'status']);
const LISTS = new Set(['key reminders', 'context', 'required reading']);

/** `Context` without a colon as a heading or a line in bold. */
function listTitle({ text, heading }: SourceLine): string {
  const line = withoutQuoteMarks(text).trim();
  if (!heading && !/^(?:[-*+]\s+)?(?:\*\*|__)/.test(line)) return '';
  return cleanText(withoutDecoration(line))
    .replace(/[*_]{1,3}$/, '')
    .trim()
    .toLowerCase();
}

/** Collects what the lines of a section declare. Each line is parsed on its own, so a bad one costs no other. */
export class Declaration {
  readonly fields = new Map<string, string>();
  readonly reading = new Set<string>();
  readonly lines: SourceLine[] = [];
  readonly lists: Record<string, string[]> = {};
  readonly phases: PhaseLine[] = [];
  #list: { items: string[]; indent: number } | undefined;
  #isBelowOtherHeading = false;

  constructor(readonly marker: SourceLine) {}

  get isComplete(): boolean {
    return this.fields.has('workflow') && this.phases.length > 0;
  }

  /** Whether this line gives a field that the section does not have yet. */
  lacks({ declares }: DeclarationLine): boolean {
    const label = declares?.label ?? '';
    if (label === 'phase') return this.phases.length === 0;
    return (label === 'workflow' || label === 'type') && !this.fields.has(label);
  }

  /** Whether this line names another workflow than the section so far. */
  isOther(line: DeclarationLine): boolean {
    const own = this.fields.get('workflow');
    if (line.workflow === undefined || own === undefined || this.#isListed(line)) return false;
    return slugOf(line.workflow) !== slugOf(own);
  }

  add(line: DeclarationLine): void {
    const { heading, item, declares, paths } = line;
    const text = withoutQuoteMarks(line.text);
    if (text.trim() === '') return;
    this.lines.push(line);
    const { label = '', value = '' } = declares ?? {};
    // A status that is indented, has a check box or is below another heading is that of a task, not of the workflow.
    const isOfTask = item?.box !== undefined || text.startsWith('  ') || this.#isBelowOtherHeading;
    const isField = FIELDS.has(label) && !(label === 'status' && isOfTask) && !this.#isListed(line);
    const list = this.#list;
    this.#list = undefined;
    if (paths) {
      for (const path of paths) this.reading.add(path);
    } else if (LISTS.has(label)) {
      const items = (this.lists[label] ??= []);
      if (value !== '') items.push(value);
      this.#list = { items, indent: item?.indent ?? -1 };
    } else if (isField) {
      this.#set(label, value, line.workflow);
    } else if (heading) {
      this.#isBelowOtherHeading = true;
    } else if (list && item) {
      if (item.text !== '') list.items.push(item.text);
      this.#list = list;
    } else if (list && list.items.length > 0 && text.startsWith('  ')) {
      list.items.push(`${list.items.pop()} ${text.trim()}`);
      this.#list = list;
    }
  }

  #set(label: string, value: string, workflow: string | undefined): void {
    if (label === 'phase') {
      const line = parsePhaseLine(value);
      const isKnown = this.#isBelowOtherHeading && this.phases.length > 0;
      if (line.phase !== undefined && !isKnown) this.phases.push(line);
    } else if (value !== '' && !this.fields.has(label) && (label !== 'workflow' || workflow)) {
      this.fields.set(label, value);
    }
  }

  /** Once the workflow is known, `- type: x` in an open list is one of its items. */
  #isListed({ item }: DeclarationLine): boolean {
    if (!item || !this.#list || !this.fields.has('workflow')) return false;
    return this.isComplete || item.indent > this.#list.indent;
  }
}

function readingPaths(text: string): string[] | undefined {
  const line = withoutDecoration(text);
  if (!line.startsWith('@')) return undefined;
  const isQuoted = text.slice(0, text.length - line.length).endsWith('`');
  const paths = isQuoted ? [line.slice(1).split('`', 1)[0] ?? ''] : line.slice(1).split(/\s@/);
  return paths
    .map((path) => withoutTail(isQuoted ? withoutFragment(path) : pathIn(path)))
    .filter((path) => path !== '')
    .map((path) => `@${path}`);
}

/** A path may contain spaces, and a description may follow it. */
function pathIn(text: string): string {
  const [path = ''] = text.split(/\s[-–—]+\s|:\s/, 1);
  const bare = path.trim().endsWith(')') ? path.replace(/ \(.*/s, '') : path;
  const described = withoutFragment(bare.replaceAll('`', '')).trim();
  const [first = ''] = described.split(/\s/, 1);
  if (first === described || HAS_EXTENSION.test(described)) return described;
  if (HAS_EXTENSION.test(withoutTail(first))) return first;
  return described.includes('/') ? described : '';
}

const HAS_EXTENSION = /\.[a-z0-9]{1,8}$/i;

/** `docs/a.md#setup` is a place in `docs/a.md`; `notes#1.md` and `C#/a.md` are names with a `#` in them. */
function withoutFragment(path: string): string {
  const file = path.replace(/(\.[a-z0-9]{1,8})#.*/is, '$1');
  return HAS_EXTENSION.test(file) ? file : file.replace(/#[^/]*$/, '');
}

function withoutTail(path: string): string {
  return path.replace(/[*.,;: ]{1,20}$/, '').trim();
}
