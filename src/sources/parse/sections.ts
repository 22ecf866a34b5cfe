import {
  isPhaseLine,
  NOTHING,
  UNFILLED_ALONE,
} from '../../state/phase-line.ts';
import {
  LETTERS,
  pattern,
  MAX_LINES,
  sourceLines,
} from '../../text/markdown/scan.ts';
import { saysOnlyDone } from '../../state/marks.ts';
import { slugOf } from '../../text/slug.ts';
import {
  cleanText,
  readLines,
  withoutDecoration,
  withoutQuoteMarks,
  type Field,
  type SourceLine,
} from './field-line.ts';

/**
 * The declarations of a file: one for each `Workflow State` marker, and one for each further workflow that a section or
 * one of its sub-sections names. A section ends at the next heading of the same or a higher level. A marker inside a
 * section starts one of its own, and its lines do not belong to the outer one.
 */
export function splitSections(text: string): Declaration[] {
  const raw = sourceLines(text, MAX_LINES);
  const lines = readLines(text).map(parseLine);
  const found: Declaration[] = [];
  let open: Section[] = [];
  let enclosingLevel = 0;
  const enter = (
    marker: Section['marker'],
    level: number,
    line: DeclarationLine,
  ): void => {
    if (open.at(-1)?.marker === 'line') open.pop();
    const declaration = new Declaration(line);
    open.push({ marker, level, declaration });
    found.push(declaration);
  };
  for (const [index, line] of lines.entries()) {
    const { level } = line;
    open = open.filter((section) => !endsAt(section, line));
    const current = open.at(-1);
    const comment = commentIn(line, raw);
    // `Workflow State: active` may also be a line of a section that has not named its workflow and phase yet.
    const mayFollow = current?.declaration.isComplete ?? true;
    if (comment !== undefined && CLOSING.test(comment)) {
      if (current?.marker === 'line') open.pop();
    } else if (comment !== undefined) {
      if (isMarker(comment.replace(/^(?:begin|start)\W/i, ''), false))
        enter('line', enclosingLevel, line);
    } else if (level === undefined && mayFollow && isMarker(line.text, false)) {
      enter('line', enclosingLevel, line);
    } else if (level !== undefined && isMarker(line.text, true)) {
      enter('heading', level, line);
    } else if (
      current &&
      level !== undefined &&
      isSubSection(lines, index, current)
    ) {
      current.isSplit = true;
      enter('heading', level, line);
    } else {
      if (current?.declaration.isOther(line)) {
        current.declaration = new Declaration(line);
        found.push(current.declaration);
      }
      current?.declaration.add(line);
    }
    enclosingLevel = level ?? enclosingLevel;
  }
  return found;
}

interface Section {
  marker: 'heading' | 'line';
  /** Of the marker, or of the heading that a line marker is below. */
  level: number;
  declaration: Declaration;
  /** A sub-section has a workflow of its own. */
  isSplit?: boolean;
}

function commentIn(
  { number, shown }: DeclarationLine,
  raw: readonly string[],
): string | undefined {
  if (shown.trim() !== '') return undefined;
  return /^\s*<!--\s*([^]{1,200}?)\s*-->\s*$/.exec(
    (raw[number - 1] ?? '').slice(0, 300),
  )?.[1];
}

const CLOSING = /^(?:\/|end\b)|\bend\W*$/i;

function endsAt(
  { marker, level, declaration }: Section,
  line: DeclarationLine,
): boolean {
  if (line.level === undefined) return false;
  if (marker === 'line') return line.level <= level || !isDeclaration(line);
  // `## Workflow: name` below `## Workflow State` is a field in the form of a heading.
  return (
    line.level < level || (line.level === level && !declaration.lacks(line))
  );
}

const isDeclaration = (line: DeclarationLine): boolean =>
  (line.declares ?? line.paths) !== undefined;

/** A `Workflow:` line is below the heading, and the section names another workflow before or after that part. */
function isSubSection(
  lines: readonly DeclarationLine[],
  index: number,
  outer: Section,
): boolean {
  const heading = lines[index];
  if (heading?.level === undefined || isDeclaration(heading)) return false;
  let hasOwn = false;
  let isBelow = true;
  for (const line of lines.slice(index + 1, index + MAX_LOOK_AHEAD)) {
    if (endsAt(outer, line)) return false;
    if (line.level !== undefined && line.level <= heading.level)
      isBelow = false;
    if (line.workflow === undefined) continue;
    hasOwn ||= isBelow;
    if (!hasOwn) return false;
    if (!isBelow || outer.isSplit || outer.declaration.fields.has('workflow'))
      return true;
  }
  return false;
}

/** Limited, so that a file of nothing but headings stays cheap. */
const MAX_LOOK_AHEAD = 200;

/** Whether a line is a `Workflow State` marker. A heading may add a few words; other lines may not, so prose is not a marker. */
function isMarker(text: string, isHeading: boolean): boolean {
  if (!/workflow/i.test(text.slice(0, 300))) return false;
  const words = withoutDecoration(text)
    .slice(0, 200)
    .replaceAll(/[*`[\]]|\b_|_\b/g, '')
    .toLowerCase();
  return isHeading ? HEADING_MARKER.test(words) : LINE_MARKER.test(words);
}

const NAME = String.raw`workflow[\s_-]+state`;
const MARKER = String.raw`(?:(?:current|active)\s+)?${NAME}`;
const NO_LETTERS = `[^${LETTERS}]*$`;
const HEADING_MARKER = new RegExp(
  [
    // `My Workflow State for the shop`
    String.raw`^(?:(?:the|my|our)\s+)?${MARKER}\b`,
    // `Saved workflow state:`
    String.raw`\b${NAME}${NO_LETTERS}`,
    // `Claude Workflow State - do not delete`
    String.raw`^(?:[${LETTERS}'’-]+\s+){0,2}${NAME}\s*[^${LETTERS}\s]`,
  ].join('|'),
);
/** `Workflow State:`, `Workflow State - saved`, `Workflow State (saved)`, or nothing more. */
const LINE_MARKER = pattern`^${MARKER}(?:\s*:|\s+[-–—]\s|\s*\([^()]*\)${NO_LETTERS}|${NO_LETTERS})`;

/** A line of the local file, with what it declares by its form. */
interface DeclarationLine extends SourceLine {
  declares: Field | undefined;
  /** The paths in a line that starts with `@`, each with its `@`. */
  paths: string[] | undefined;
  /** The name in a `Workflow:` line; undefined for `None` and unfilled placeholders. */
  workflow: string | undefined;
  /** Of a heading. Text directly above a `---` is one by Markdown's rules, but often a declaration with a rule below it. */
  level: number | undefined;
}

function parseLine(line: SourceLine): DeclarationLine {
  const { text, heading, field } = line;
  const paths = readingPaths(text);
  // `Current Phase:` is a `Phase:` line.
  const label = field
    ? field.label.replace(
        /^(?:current|active) (?=(?:workflow|phase|status)$)/,
        '',
      )
    : listTitle(line);
  const isKnown =
    LISTS.has(label) || (field !== undefined && FIELDS.has(label));
  const declares = isKnown ? { label, value: field?.value ?? '' } : undefined;
  const isUnderlined = heading?.isUnderlined && (declares ?? paths);
  const value = declares?.label === 'workflow' ? declares.value : '';
  const isNamed =
    value !== '' &&
    !saysOnlyDone(value) &&
    ![NOTHING, UNFILLED_ALONE].some((each) => each.test(value.toLowerCase()));
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
  readonly phases: string[] = [];
  #list: { items: string[]; indent: number } | undefined;
  #isBelowOtherHeading = false;

  constructor(readonly marker: SourceLine) {}

  get isComplete(): boolean {
    return this.fields.has('workflow') && this.phases.length > 0;
  }

  lacks({ declares }: DeclarationLine): boolean {
    const label = declares?.label ?? '';
    if (label === 'phase') return this.phases.length === 0;
    return (
      (label === 'workflow' || label === 'type') && !this.fields.has(label)
    );
  }

  isOther(line: DeclarationLine): boolean {
    const own = this.fields.get('workflow');
    if (
      line.workflow === undefined ||
      own === undefined ||
      this.#isListed(line)
    )
      return false;
    return slugOf(line.workflow) !== slugOf(own);
  }

  add(line: DeclarationLine): void {
    const { heading, item, declares, paths } = line;
    const text = withoutQuoteMarks(line.text);
    if (text.trim() === '') return;
    const isNextLine = this.lines.at(-1)?.number === line.number - 1;
    this.lines.push(line);
    const { label = '', value = '' } = declares ?? {};
    // A status that is indented, has a check box or is below another heading is that of a task, not of the workflow.
    const isOfTask =
      item?.box !== undefined ||
      text.startsWith('  ') ||
      this.#isBelowOtherHeading;
    const isField =
      FIELDS.has(label) &&
      !(label === 'status' && isOfTask) &&
      !this.#isListed(line);
    const goesOn =
      text.startsWith('  ') ||
      (isNextLine && !line.field && /^[\w\x80-\uffff]/.test(text));
    const list = this.#list;
    this.#list = undefined;
    if (paths) {
      for (const path of paths) this.reading.add(path);
    } else if (LISTS.has(label)) {
      const items = (this.lists[label] ??= []);
      if (value !== '') items.push(value);
      if (label === 'required reading')
        for (const path of readingPaths(value) ?? []) this.reading.add(path);
      this.#list = { items, indent: item?.indent ?? -1 };
    } else if (isField) {
      this.#set(label, value, line.workflow);
    } else if (heading) {
      this.#isBelowOtherHeading = true;
    } else if (list && item) {
      if (item.text !== '') list.items.push(item.text);
      this.#list = list;
    } else if (list && list.items.length > 0 && goesOn) {
      list.items.push(`${list.items.pop()} ${text.trim()}`);
      this.#list = list;
    }
  }

  #set(label: string, value: string, workflow: string | undefined): void {
    if (label === 'phase') {
      const isKnown = this.#isBelowOtherHeading && this.phases.length > 0;
      if (isPhaseLine(value) && !isKnown) this.phases.push(value);
    } else if (
      value !== '' &&
      !this.fields.has(label) &&
      (label !== 'workflow' || workflow)
    ) {
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
  const paths = isQuoted
    ? [line.slice(1).split('`', 1)[0] ?? '']
    : line.slice(1).split(/\s@/);
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
