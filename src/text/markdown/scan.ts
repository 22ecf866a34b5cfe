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

/** A paragraph, unless it has a fence or is an HTML block. */
type Leaf = {
  parts: LinePart[];
  fence?: string | undefined;
  html?: HtmlBlock | undefined;
};

/** The part of a line that belongs to a block: everything behind its container marks. */
type LinePart = { line: MarkdownLine; start: number };

/** A comment, or an element with code. What is inside other elements is read as Markdown. */
type HtmlBlock = { end: RegExp; code: boolean };

/** Follows CommonMark's block structure as far as needed to tell code, comments and headings apart. */
export function scanMarkdown(
  text: string,
  { maxLines, hideStruckText = false }: ScanOptions = {},
): MarkdownLine[] {
  const lines = sourceLines(text, maxLines).map(
    (line, index): MarkdownLine => ({
      number: index + 1,
      text: line,
      kind: 'text',
    }),
  );
  const scanner = new BlockScanner(hideStruckText);
  for (const line of lines) scanner.read(line);
  scanner.end();
  return lines;
}

interface ScanOptions {
  maxLines?: number;
  hideStruckText?: boolean;
}

/** The part of a line that is inside the outermost `depth` containers. */
interface Inside {
  depth: number;
  rest: string;
}

/** A line that is indented this far is code. */
const CODE_INDENT = 4;

/** Knows which blocks are open after the lines that it has read. */
class BlockScanner {
  /** The quotes and list items that are open, the outermost first. */
  readonly #containers: Container[] = [];
  /** The block of text that is open within the innermost of them. */
  #leaf: Leaf | undefined;

  constructor(private readonly hidesStruckText: boolean) {}

  /** Closes what is still open at the end of the text. */
  end(): void {
    this.#closeTo(0);
  }

  /** Reads the next line, and writes into it what it is. */
  read(line: MarkdownLine): void {
    const continued = this.#continuedContainers(line.text);
    const isInLeaf = continued.depth === this.#containers.length;
    if (isInLeaf && this.#readLiterally(line, continued.rest)) return;

    if (!isInLeaf && this.#openParagraph() === undefined)
      this.#closeTo(continued.depth);
    const paragraph = isInLeaf ? this.#openParagraph() : undefined;
    const { depth, rest } = this.#openContainers(continued, paragraph);
    const isInParagraph = paragraph !== undefined && depth === continued.depth;

    if (isBlank(rest)) {
      this.#closeTo(depth);
    } else if (this.#leaf === undefined && indentOf(rest) >= CODE_INDENT) {
      this.#closeTo(depth);
      line.kind = 'code';
    } else if (isInParagraph && UNDERLINE.test(rest)) {
      this.#endSetextHeading(paragraph, line, rest);
    } else {
      this.#startLeaf(line, rest, depth);
    }
  }

  /** How many of the open containers a line continues, and what of the line is inside them. */
  #continuedContainers(text: string): Inside {
    let rest = text;
    let depth = 0;
    for (const container of this.#containers) {
      const content = contentIn(container, rest);
      if (content === undefined) break;
      rest = content;
      depth += 1;
    }
    return { depth, rest };
  }

  /** Fences and HTML blocks take every line as it is, up to their end. False outside of them. */
  #readLiterally(line: MarkdownLine, rest: string): boolean {
    if (this.#leaf?.fence !== undefined) {
      line.kind = 'code';
      const [, end = ''] = /^ {0,3}(`+|~+) *$/.exec(rest) ?? [];
      if (end.startsWith(this.#leaf.fence)) this.#leaf = undefined;
      return true;
    }
    if (this.#leaf?.html === undefined) return false;
    this.#addHtml(this.#leaf.html, line, rest);
    return true;
  }

  /** Opens the quotes and list items that begin in a line, which may interrupt the paragraph that is open. */
  #openContainers(
    { depth, rest }: Inside,
    paragraph: Leaf | undefined,
  ): Inside {
    let inside = { depth, rest };
    let isInParagraph = paragraph !== undefined;
    while (inside.depth < MAX_DEPTH) {
      const opened = openContainer(inside.rest, isInParagraph);
      if (!opened) break;
      this.#closeTo(inside.depth);
      this.#containers.push(opened.container);
      inside = { depth: inside.depth + 1, rest: opened.content };
      isInParagraph = false;
    }
    return inside;
  }

  #openParagraph(): Leaf | undefined {
    const isParagraph =
      this.#leaf?.fence === undefined && this.#leaf?.html === undefined;
    return isParagraph ? this.#leaf : undefined;
  }

  #endSetextHeading(
    { parts }: Leaf,
    underline: MarkdownLine,
    rest: string,
  ): void {
    this.#closeTo(this.#containers.length);
    const heading = parts
      .map((part) => part.line.text.slice(part.start).trim())
      .join(' ');
    const level = rest.includes('=') ? 1 : 2;
    if (parts[0])
      parts[0].line.heading = {
        level,
        text: heading,
        lines: parts.length,
        isUnderlined: true,
      };
    underline.text = underline.text.slice(0, textStart(underline, rest));
  }

  #startLeaf(line: MarkdownLine, rest: string, depth: number): void {
    const [mark, hashes] = ATX.exec(rest) ?? [];
    const [, fence] = FENCE.exec(rest) ?? [];
    const html = htmlBlockAt(rest);
    if (hashes !== undefined || fence !== undefined || html || RULE.test(rest))
      this.#closeTo(depth);
    if (mark !== undefined && hashes !== undefined) {
      // Without the `#`s that close it.
      const content = rest
        .slice(mark.length)
        .trimEnd()
        .replace(/(?<=^| )#+$/, '');
      const start = line.text.length - rest.length + mark.length;
      line.text = line.text.slice(0, start) + content;
      this.#hideInline([{ line, start }]);
      const heading = line.text.slice(start).trim();
      line.heading = {
        level: hashes.length,
        text: heading,
        lines: 1,
        isUnderlined: false,
      };
    } else if (fence !== undefined) {
      line.kind = 'code';
      this.#leaf = { parts: [], fence };
    } else if (html) {
      this.#leaf = { parts: [], html };
      this.#addHtml(html, line, rest);
    } else if (!RULE.test(rest)) {
      // An open paragraph continues even if the line leaves its containers (CommonMark's lazy continuation).
      if (!this.#openParagraph()) {
        this.#closeTo(depth);
        this.#leaf = { parts: [] };
      }
      this.#leaf?.parts.push({ line, start: textStart(line, rest) });
    }
  }

  #addHtml({ code, end }: HtmlBlock, line: MarkdownLine, rest: string): void {
    if (code) line.kind = 'code';
    this.#leaf?.parts.push({ line, start: line.text.length - rest.length });
    if (end.test(rest)) this.#closeTo(this.#containers.length);
  }

  #closeTo(depth: number): void {
    const { parts = [], html } = this.#leaf ?? {};
    if (html) hideText(parts, COMMENTS_IN_HTML);
    else this.#hideInline(parts);
    this.#leaf = undefined;
    this.#containers.length = Math.min(this.#containers.length, depth);
  }

  #hideInline(parts: LinePart[]): void {
    hideText(parts, COMMENTS);
    if (this.hidesStruckText) hideText(parts, STRUCK_TEXT);
  }
}

const ATX = /^ {0,3}(#{1,6})(?= |$)/;
const UNDERLINE = /^ {0,3}(?:=+|-+) *$/;
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const RULE = /^ {0,3}([-*_]) *(?:\1 *){2,}$/;

function htmlBlockAt(rest: string): HtmlBlock | undefined {
  if (/^ {0,3}<!--/.test(rest)) return { end: /-->/, code: false };
  return /^ {0,3}<(?:pre|script|style|textarea)(?=[ >]|$)/i.test(rest)
    ? { end: /<\/(?:pre|script|style|textarea)>/i, code: true }
    : undefined;
}

/** What to look for: in a paragraph, code spans and backslashes make the marks plain text. */
const COMMENTS_IN_HTML = /<!--/g;
const COMMENTS = /`+|\\.|<!--/gs;
const STRUCK_TEXT = /`+|\\.|~+/gs;

/** Both may span several lines. Struck out is as on GitHub: exactly two tildes, no space inside them at either end. */
function hideText(parts: LinePart[], tokens: RegExp): void {
  const text = parts
    .map(({ line, start }) => line.text.slice(start))
    .join('\n');
  if (!/<!--|~~/.test(text)) return;
  const codeSpanEnd = codeSpanFinder(text);
  let visible = '';
  let from = 0;
  const hide = (start: number, end: number): void => {
    // The line breaks stay, so that every line is still there.
    visible +=
      text.slice(from, start) +
      text.slice(start, end).replaceAll(/[^\n]+/g, '');
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
      const closes =
        opening !== undefined && /\S/.test(text.charAt(token.index - 1));
      if (closes && opening !== undefined) hide(opening, end);
      opening =
        !closes && /\S/.test(text.charAt(end)) ? token.index : undefined;
    }
  }
  const lines = (visible + text.slice(from)).split('\n');
  for (const [index, { line, start }] of parts.entries())
    line.text = line.text.slice(0, start) + (lines[index] ?? '');
}

/** Deeper nesting is read as text; the limit keeps the scan linear for hostile input. */
const MAX_DEPTH = 20;

/** A quote, unless it has the width of a list item's mark. */
type Container = { width?: number; isEmpty: boolean };

/** What is left of a line that stays in an open container; undefined if it does not. */
function contentIn(container: Container, rest: string): string | undefined {
  const { width, isEmpty } = container;
  if (width === undefined) return quoted(rest);
  if (isBlank(rest)) return isEmpty ? undefined : rest;
  if (indentOf(rest) < width) return undefined;
  container.isEmpty = false;
  return rest.slice(width);
}

function quoted(rest: string): string | undefined {
  const mark = /^ {0,3}> ?/.exec(rest)?.[0];
  return mark && rest.slice(mark.length);
}

function openContainer(rest: string, interruptsParagraph: boolean) {
  const quote = quoted(rest);
  if (quote !== undefined)
    return { container: { isEmpty: false }, content: quote };
  const [lead = '', mark = ''] = LIST_MARK.exec(rest) ?? [];
  if (mark === '' || RULE.test(rest)) return undefined;
  const content = rest.slice(lead.length);
  const isEmpty = isBlank(content);
  if (interruptsParagraph && (isEmpty || !/^(?:.|1[.)])$/.test(mark)))
    return undefined;
  const gap = isEmpty || indentOf(content) > 4 ? 1 : indentOf(content);
  const container = { width: lead.length + gap, isEmpty };
  return { container, content: isEmpty ? content : content.slice(gap) };
}

const LIST_MARK = /^ {0,3}([-+*]|\d{1,9}[.)])(?= |$)/;

const isBlank = (rest: string): boolean => indentOf(rest) === rest.length;

const indentOf = (rest: string): number => rest.search(/[^ ]|$/);

/** Where the text of a line begins, behind the marks of its containers and its indentation. */
const textStart = (line: MarkdownLine, rest: string): number =>
  line.text.length - rest.length + indentOf(rest);

/** Tells where a code span ends. The runs are indexed once, as each search is linear; ask with growing positions. */
export function codeSpanFinder(
  text: string,
): (length: number, from: number) => number | undefined {
  const runs = new Map<number, { starts: number[]; next: number }>();
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    const entry = runs.get(run.length);
    if (entry) entry.starts.push(index);
    else runs.set(run.length, { starts: [index], next: 0 });
  }
  return (length, from) => {
    const sameLength = runs.get(length);
    if (!sameLength) return undefined;
    while ((sameLength.starts[sameLength.next] ?? from) < from)
      sameLength.next += 1;
    const start = sameLength.starts[sameLength.next];
    return start === undefined ? undefined : start + length;
  };
}

/** Longer than any plan; without a limit, megabytes of short lines would cost a hook too much memory. */
export const MAX_LINES = 20_000;

export const sourceLines = (text: string, limit?: number): string[] =>
  text
    .replace(/^\uFEFF/, '')
    .replaceAll('\0', '\uFFFD')
    .split(/\r\n|\r|\n/, limit)
    .map(expandTabs);

/** Longer than the markers of any list or quote; a tab behind them is text, and a line of tabs costs no memory. */
const MARKERS_END = 1_000;

/** CommonMark measures indentation in columns, with a tab stop every 4. */
function expandTabs(line: string): string {
  if (!line.includes('\t')) return line;
  const start = line
    .slice(0, MARKERS_END)
    .replaceAll(/[^\t]*\t/g, (text) =>
      text.slice(0, -1).padEnd(4 * Math.ceil(text.length / 4)),
    );
  return start + line.slice(MARKERS_END);
}

/** Not `\p{L}`, nor `\p{S}` below: V8 takes longer to compile those than to parse the files, in every hook call anew. */
export const LETTERS = String.raw`a-z\d\u00c0-\u1fff\u3040-\ud7ff`;

export const pattern = (
  parts: TemplateStringsArray,
  ...values: string[]
): RegExp => new RegExp(String.raw(parts, ...values));

/** Emoji and symbols, with joiners and variation selectors. */
export const PICTURE = String.raw`(?:[\u200d\u2190-\u2bff\ufe0f\ufffd]|[\ud83c-\ud83e][\udc00-\udfff])`;
