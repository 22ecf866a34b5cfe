import { LETTERS, pattern, MAX_LINES, sourceLines } from '../../text/markdown/lines.ts';
import { Declaration, parseLine, type DeclarationLine } from './declaration.ts';
import { readLines, withoutDecoration } from './field-line.ts';

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
  const enter = (marker: Section['marker'], level: number, line: DeclarationLine): void => {
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
    if (comment !== undefined && CLOSING.test(comment)) {
      if (current?.marker === 'line') open.pop();
    } else if (comment !== undefined) {
      if (isMarker(comment.replace(/^(?:begin|start)\W/i, ''), false))
        enter('line', enclosingLevel, line);
    } else if (level === undefined && mayFollow(current) && isMarker(line.text, false)) {
      enter('line', enclosingLevel, line);
    } else if (level !== undefined && isMarker(line.text, true)) {
      enter('heading', level, line);
    } else if (current && level !== undefined && isSubSection(lines, index, current)) {
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

/** The text of a line that is nothing but an HTML comment. */
function commentIn({ number, shown }: DeclarationLine, raw: readonly string[]): string | undefined {
  if (shown.trim() !== '') return undefined;
  return /^\s*<!--\s*([^]{1,200}?)\s*-->\s*$/.exec((raw[number - 1] ?? '').slice(0, 300))?.[1];
}

const CLOSING = /^(?:\/|end\b)|\bend\W*$/i;

function endsAt({ marker, level, declaration }: Section, line: DeclarationLine): boolean {
  if (line.level === undefined) return false;
  if (marker === 'line') return line.level <= level || !declares(line);
  // `## Workflow: name` below `## Workflow State` is a field in the form of a heading.
  return line.level < level || (line.level === level && !declaration.lacks(line));
}

function declares(line: DeclarationLine): boolean {
  return (line.declares ?? line.paths) !== undefined;
}

/** `Workflow State: active` may also be a line of a section that has not named its workflow and phase yet. */
function mayFollow(current: Section | undefined): boolean {
  return current === undefined || current.declaration.isComplete;
}

/**
 * Whether a heading inside a section starts a workflow of its own: a `Workflow:` line is below it, and the section names
 * another workflow before or after that part.
 */
function isSubSection(lines: readonly DeclarationLine[], index: number, outer: Section): boolean {
  const heading = lines[index];
  if (heading?.level === undefined || declares(heading)) return false;
  let hasOwn = false;
  let isBelow = true;
  for (const line of lines.slice(index + 1, index + MAX_LOOK_AHEAD)) {
    if (endsAt(outer, line)) return false;
    if (line.level !== undefined && line.level <= heading.level) isBelow = false;
    if (line.workflow === undefined) continue;
    hasOwn ||= isBelow;
    if (!hasOwn) return false;
    if (!isBelow || outer.isSplit || outer.declaration.fields.has('workflow')) return true;
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
    .replaceAll(/[*`[\]]|\b_|_\b/g, '');
  return isHeading ? HEADING_MARKER.test(words) : LINE_MARKER.test(words);
}

const NAME = String.raw`workflow[\s_-]+state`;
const MARKER = String.raw`(?:(?:current|active)\s+)?${NAME}`;
const HEADING_MARKER = new RegExp(
  pattern`^(?:(?:the|my|our)\s+)?${MARKER}\b|\b${NAME}[^${LETTERS}]*$|^(?:[${LETTERS}'’-]+\s+){0,2}${NAME}\s*[^${LETTERS}\s]`,
  'i',
);
const LINE_MARKER = new RegExp(
  pattern`^${MARKER}(?:\s*:|\s+[-–—]\s|\s*\([^()]*\)[^${LETTERS}]*$|[^${LETTERS}]*$)`,
  'i',
);
