export interface Heading {
  level: number;
  text: string;
  /** Always 1 for `# Title`. Several lines above `---` are often a paragraph and a rule without a blank line between. */
  lines: number;
  /** Whether a line of `===` or `---` below makes it a heading. */
  isUnderlined: boolean;
}

/** `text` is the whole line as a reader sees it: with list and quote marks, without comments. */
export interface MarkdownLine {
  number: number;
  text: string;
  kind: 'text' | 'code';
  heading?: Heading;
}

export interface ScanOptions {
  /** The number of lines to read; the rest is ignored. */
  maxLines?: number;
  /** Whether to leave out `~~struck-out~~` text. */
  hideStruckText?: boolean;
}

/** A paragraph, unless it has a fence or is an HTML block. */
interface Leaf {
  parts: LinePart[];
  fence?: string;
  html?: HtmlBlock;
}

/** Follows CommonMark's block structure as far as needed to tell code, comments and headings apart. */
export function scanMarkdown(text: string, options: ScanOptions = {}): MarkdownLine[] {
  const containers: Container[] = [];
  let leaf: Leaf | undefined;
  const lines = sourceLines(text, options.maxLines).map((line, index): MarkdownLine => ({
    number: index + 1,
    text: line,
    kind: 'text',
  }));
  for (const line of lines) read(line, new Cursor(line.text));
  closeTo(0);
  return lines;

  function read(line: MarkdownLine, at: Cursor): void {
    let depth = 0;
    for (const container of containers) {
      if (!at.continues(container)) break;
      depth += 1;
    }
    const inLeaf = depth === containers.length;
    if (inLeaf && continueRawLeaf(line, at)) return;
    if (!inLeaf && !openParagraph()) closeTo(depth);
    startBlocks(line, at, depth);
  }

  function openParagraph(): Leaf | undefined {
    return leaf?.fence === undefined && !leaf?.html ? leaf : undefined;
  }

  /** Fences and HTML blocks take every line literally. */
  function continueRawLeaf(line: MarkdownLine, at: Cursor): boolean {
    const { fence, html } = leaf ?? {};
    if (fence !== undefined) {
      line.kind = 'code';
      const [, end = ''] = at.match(/(`+|~+) *$/y) ?? [];
      if (at.indent < 4 && end.startsWith(fence)) leaf = undefined;
      return true;
    }
    if (!html) return false;
    addHtml(html, line, at);
    return true;
  }

  function startBlocks(line: MarkdownLine, at: Cursor, matched: number): void {
    let depth = matched;
    let paragraph = depth === containers.length ? openParagraph() : undefined;
    while (depth < MAX_DEPTH) {
      const container = openContainer(at, paragraph !== undefined);
      if (!container) break;
      closeTo(depth);
      containers.push(container);
      depth += 1;
      paragraph = undefined;
    }
    if (at.blank) {
      closeTo(depth);
    } else if (at.indent >= 4 && !leaf) {
      closeTo(depth);
      line.kind = 'code';
    } else if (at.indent >= 4) {
      addParagraph(line, at, depth);
    } else if (paragraph && at.match(/(?:=+|-+) *$/y)) {
      endSetextHeading(paragraph, line, at);
    } else {
      startLeaf(line, at, depth);
    }
  }

  function endSetextHeading({ parts }: Leaf, underline: MarkdownLine, at: Cursor): void {
    closeTo(containers.length);
    const heading = parts.map((part) => part.line.text.slice(part.start).trim()).join(' ');
    const level = at.char === '=' ? 1 : 2;
    if (parts[0])
      parts[0].line.heading = { level, text: heading, lines: parts.length, isUnderlined: true };
    underline.text = underline.text.slice(0, at.next);
  }

  function startLeaf(line: MarkdownLine, at: Cursor, depth: number): void {
    const atx = atxHeadingAt(at);
    const fence = at.match(/`{3,}(?=[^`]*$)|~{3,}/y)?.[0];
    const html = htmlBlockAt(at);
    if (!atx && !fence && !html && !isRule(at)) return addParagraph(line, at, depth);

    closeTo(depth);
    if (atx) {
      line.text = line.text.slice(0, atx.end);
      hideInline([{ line, start: atx.start }]);
      const heading = line.text.slice(atx.start).trim();
      line.heading = { level: atx.level, text: heading, lines: 1, isUnderlined: false };
    } else if (fence) {
      line.kind = 'code';
      leaf = { parts: [], fence };
    } else if (html) {
      leaf = { parts: [], html };
      addHtml(html, line, at);
    }
  }

  function addHtml(html: HtmlBlock, line: MarkdownLine, at: Cursor): void {
    if (html.code) line.kind = 'code';
    leaf?.parts.push({ line, start: at.pos });
    if (html.end.test(at.text.slice(at.pos))) closeTo(containers.length);
  }

  /** An open paragraph continues even if the line leaves its containers (CommonMark's lazy continuation). */
  function addParagraph(line: MarkdownLine, at: Cursor, depth: number): void {
    if (!openParagraph()) {
      closeTo(depth);
      leaf = { parts: [] };
    }
    leaf?.parts.push({ line, start: at.next });
  }

  function closeTo(depth: number): void {
    const { parts = [], html } = leaf ?? {};
    if (html) hideText(parts, COMMENTS_IN_HTML);
    else hideInline(parts);
    leaf = undefined;
    containers.length = Math.min(containers.length, depth);
  }

  function hideInline(parts: LinePart[]): void {
    hideText(parts, COMMENTS);
    if (options.hideStruckText) hideText(parts, STRUCK_TEXT);
  }
}

/** A comment, or an element with code. What is inside other elements is read as Markdown. */
interface HtmlBlock {
  end: RegExp;
  code: boolean;
}

function htmlBlockAt(at: Cursor): HtmlBlock | undefined {
  if (at.match(/<!--/y)) return { end: /-->/, code: false };
  return at.match(/<(?:pre|script|style|textarea)(?=[ >]|$)/iy)
    ? { end: /<\/(?:pre|script|style|textarea)>/i, code: true }
    : undefined;
}

/** The part of a line that belongs to a block: everything behind its container marks. */
interface LinePart {
  line: MarkdownLine;
  start: number;
}

/** What to look for: in a paragraph, code spans and backslashes make the marks plain text. */
const COMMENTS_IN_HTML = /<!--/g;
const COMMENTS = /`+|\\.|<!--/gs;
const STRUCK_TEXT = /`+|\\.|~+/gs;

/**
 * Removes HTML comments or `~~struck-out~~` text from the lines of a block; both may span several of them. Struck out is
 * as on GitHub: exactly two tildes, no space inside them at either end.
 */
function hideText(parts: LinePart[], tokens: RegExp): void {
  const text = parts.map(({ line, start }) => line.text.slice(start)).join('\n');
  if (!/<!--|~~/.test(text)) return;
  const codeSpanEnd = codeSpanFinder(text);
  let visible = '';
  let from = 0;
  const hide = (start: number, end: number): void => {
    // The line breaks stay, so that every line is still there.
    visible += text.slice(from, start) + text.slice(start, end).replaceAll(/[^\n]+/g, '');
    from = end;
    tokens.lastIndex = end;
  };
  let opening: number | undefined;
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    const [mark] = token;
    const end = tokens.lastIndex;
    if (mark.startsWith('`')) {
      tokens.lastIndex = codeSpanEnd(mark.length, end) ?? end;
    } else if (mark === '<!--') {
      // `<!-->` and `<!--->` are whole comments, so the end may share dashes with the start.
      const close = text.indexOf('-->', token.index + 2);
      if (close >= 0) hide(token.index, close + 3);
      else if (tokens === COMMENTS_IN_HTML) hide(token.index, text.length);
      else tokens.lastIndex = text.length;
    } else if (mark === '~~') {
      const closes = opening !== undefined && /\S/.test(text.charAt(token.index - 1));
      if (closes && opening !== undefined) hide(opening, end);
      opening = !closes && /\S/.test(text.charAt(end)) ? token.index : undefined;
    }
  }
  const lines = (visible + text.slice(from)).split('\n');
  for (const [index, { line, start }] of parts.entries())
    line.text = line.text.slice(0, start) + (lines[index] ?? '');
}

/** Deeper nesting is read as text; the limit keeps the scan linear for hostile input. */
const MAX_DEPTH = 20;

type Container = { kind: 'quote' } | { kind: 'item'; width: number; empty: boolean };

/** A position in a line: `pos` is behind the container marks, `next` at the first character that is not a space. */
class Cursor {
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

  match(sticky: RegExp): RegExpExecArray | null {
    sticky.lastIndex = this.next;
    return sticky.exec(this.text);
  }

  #moveTo(pos: number): void {
    this.pos = pos;
    this.next = skipSpaces(this.text, pos);
  }
}

function openContainer(at: Cursor, interruptsParagraph: boolean): Container | undefined {
  if (at.blank || at.indent >= 4) return undefined;
  if (at.skipQuoteMark()) return { kind: 'quote' };
  const mark = at.match(LIST_MARK)?.[0];
  if (!mark || isRule(at)) return undefined;
  const isEmpty = skipSpaces(at.text, at.next + mark.length) === at.text.length;
  if (interruptsParagraph && (isEmpty || !/^(?:.|1[.)])$/.test(mark))) return undefined;
  const width = at.skipListMark(mark.length);
  return { kind: 'item', width, empty: at.blank };
}

const LIST_MARK = /(?:[-+*]|\d{1,9}[.)])(?= |$)/y;

/** A thematic break: three or more of one mark and nothing else. */
function isRule(at: Cursor): boolean {
  return /^(?:-{3,}|\*{3,}|_{3,})$/.test(at.text.slice(at.next).replaceAll(' ', ''));
}

const ATX_MARK = /#{1,6}(?= |$)/y;

/** Where the text of an ATX heading starts and ends, without its closing `#`s. */
function atxHeadingAt(at: Cursor): { level: number; start: number; end: number } | undefined {
  const level = at.match(ATX_MARK)?.[0].length;
  if (level === undefined) return undefined;
  const start = at.next + level;
  const trimmed = at.text.trimEnd();
  let end = trimmed.length;
  while (end > start && trimmed[end - 1] === '#') end -= 1;
  const closes = end === start || trimmed[end - 1] === ' ';
  return { level, start, end: closes ? end : trimmed.length };
}

function skipSpaces(text: string, from: number): number {
  let index = from;
  while (text[index] === ' ') index += 1;
  return index;
}

/**
 * Returns a lookup for the end of a code span: the backtick run of the same length behind `from`. The runs are indexed
 * once, because searching for each one anew is quadratic. Ask with growing positions.
 */
export function codeSpanFinder(text: string): (length: number, from: number) => number | undefined {
  const runs = new Map<number, { starts: number[]; next: number }>();
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    const known = runs.get(run.length);
    if (known) known.starts.push(index);
    else runs.set(run.length, { starts: [index], next: 0 });
  }
  return (length, from) => {
    const sameLength = runs.get(length);
    if (!sameLength) return undefined;
    while ((sameLength.starts[sameLength.next] ?? from) < from) sameLength.next += 1;
    const start = sameLength.starts[sameLength.next];
    return start === undefined ? undefined : start + length;
  };
}

/** Longer than any plan; without a limit, megabytes of short lines would cost a hook too much memory. */
export const MAX_LINES = 20_000;

/** Splits a file into lines and expands tabs to columns. */
export function sourceLines(text: string, limit?: number): string[] {
  return text
    .replace(/^\uFEFF/, '')
    .replaceAll('\0', '\uFFFD')
    .split(/\r\n|\r|\n/, limit)
    .map(expandTabs);
}

/** Longer than the markers of any list or quote; a tab behind them is text, and a line of tabs costs no memory. */
const MARKERS_END = 1_000;

/** CommonMark measures indentation in columns, with a tab stop every 4. */
function expandTabs(line: string): string {
  if (!line.includes('\t')) return line;
  const start = line
    .slice(0, MARKERS_END)
    .replaceAll(/[^\t]*\t/g, (text) => text.slice(0, -1).padEnd(4 * Math.ceil(text.length / 4)));
  return start + line.slice(MARKERS_END);
}

/**
 * Character classes for regular expressions. V8 takes longer to compile `\p{L}` and `\p{S}` than to parse the files,
 * and every hook call is a new process.
 */
export const LETTERS = String.raw`a-z\d\u00c0-\u1fff\u3040-\ud7ff`;

/** A regular expression with parts that are filled in. */
export function pattern(parts: TemplateStringsArray, ...values: string[]): RegExp {
  return new RegExp(String.raw(parts, ...values));
}

/** Emoji and symbols, with joiners and variation selectors. */
export const PICTURE = String.raw`(?:[\u200d\u2190-\u2bff\ufe0f\ufffd]|[\ud83c-\ud83e][\udc00-\udfff])`;
