/** Deeper nesting is read as text; the limit keeps the scan linear for hostile input. */
export const MAX_DEPTH = 20;

export type Container = { kind: 'quote' } | { kind: 'item'; width: number; empty: boolean };

/** A position in a line: `pos` is behind the container marks, `next` at the first character that is not a space. */
export class Cursor {
  pos = 0;
  next = 0;

  constructor(readonly text: string) {
    this.#moveTo(0);
  }

  get indent(): number {
    return this.next - this.pos;
  }

  get blank(): boolean {
    return this.next === this.text.length;
  }

  get char(): string {
    return this.text.charAt(this.next);
  }

  /** Whether this line stays in an open container; if so, moves behind its mark. */
  continues(container: Container): boolean {
    if (container.kind === 'quote') return this.skipQuoteMark();
    if (this.blank) return !container.empty;
    if (this.indent < container.width) return false;
    container.empty = false;
    this.pos += container.width;
    return true;
  }

  skipQuoteMark(): boolean {
    if (this.indent >= 4 || this.char !== '>') return false;
    const behind = this.next + 1;
    this.#moveTo(this.text.charAt(behind) === ' ' ? behind + 1 : behind);
    return true;
  }

  /** Moves behind a list mark and returns the indentation of the item's content. */
  skipListMark(length: number): number {
    const start = this.pos;
    const behind = this.next + length;
    this.#moveTo(behind);
    const gap = this.blank || this.indent > 4 ? 1 : this.indent;
    if (!this.blank) this.pos = behind + gap;
    return behind + gap - start;
  }

  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.next;
    return pattern.exec(this.text);
  }

  #moveTo(pos: number): void {
    this.pos = pos;
    this.next = skipSpaces(this.text, pos);
  }
}

export function openContainer(at: Cursor, interruptsParagraph: boolean): Container | undefined {
  if (at.blank || at.indent >= 4) return undefined;
  if (at.skipQuoteMark()) return { kind: 'quote' };
  const mark = at.match(LIST_MARK)?.[0];
  if (!mark || isRule(at)) return undefined;
  if (interruptsParagraph && !mayInterrupt(mark, at)) return undefined;
  const width = at.skipListMark(mark.length);
  return { kind: 'item', width, empty: at.blank };
}

const LIST_MARK = /(?:[-+*]|\d{1,9}[.)])(?= |$)/y;

function mayInterrupt(mark: string, at: Cursor): boolean {
  const isEmpty = skipSpaces(at.text, at.next + mark.length) === at.text.length;
  return !isEmpty && (mark.length === 1 || /^1[.)]$/.test(mark));
}

/** A thematic break: three or more of one mark and nothing else. */
export function isRule(at: Cursor): boolean {
  return /^(?:-{3,}|\*{3,}|_{3,})$/.test(at.text.slice(at.next).replaceAll(' ', ''));
}

export function isSetextUnderline(at: Cursor): boolean {
  return at.match(/(?:=+|-+) *$/y) !== null;
}

const ATX_MARK = /#{1,6}(?= |$)/y;

/** Where the text of an ATX heading starts and ends, without its closing `#`s. */
export function atxHeadingAt(
  at: Cursor,
): { level: number; start: number; end: number } | undefined {
  const level = at.match(ATX_MARK)?.[0].length;
  if (level === undefined) return undefined;
  const start = at.next + level;
  const trimmed = at.text.trimEnd();
  let end = trimmed.length;
  while (end > start && trimmed[end - 1] === '#') end -= 1;
  const closes = end === start || trimmed[end - 1] === ' ';
  return { level, start, end: closes ? end : trimmed.length };
}

export function fenceAt(at: Cursor): string | undefined {
  return at.match(/`{3,}(?=[^`]*$)|~{3,}/y)?.[0];
}

export function closesFence(at: Cursor, fence: string): boolean {
  return at.indent < 4 && (at.match(/(`+|~+) *$/y)?.[1]?.startsWith(fence) ?? false);
}

function skipSpaces(text: string, from: number): number {
  let index = from;
  while (text[index] === ' ') index += 1;
  return index;
}
