import type { MarkdownLine } from './types.ts';
import {
  Cursor,
  MAX_DEPTH,
  atxHeadingAt,
  closesFence,
  fenceAt,
  isRule,
  isSetextUnderline,
  openContainer,
  type Container,
} from './block-start.ts';
import { COMMENTS, COMMENTS_IN_HTML, hideText, STRUCK_TEXT, type LinePart } from './hidden-text.ts';
import { sourceLines } from './lines.ts';

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
      if (closesFence(at, fence)) leaf = undefined;
      return true;
    }
    if (!html || (at.blank && !html.end)) return false;
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
    } else if (paragraph && isSetextUnderline(at)) {
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
    const fence = fenceAt(at);
    const html = htmlBlockAt(at, leaf !== undefined);
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
    if (html.end?.test(at.text.slice(at.pos))) closeTo(containers.length);
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

/** A block without `end` runs to the next blank line. */
export interface HtmlBlock {
  end?: RegExp;
  code: boolean;
}

export function htmlBlockAt(at: Cursor, interruptsParagraph: boolean): HtmlBlock | undefined {
  if (at.match(/<!--/y)) return { end: /-->/, code: false };
  if (at.match(/<(?:pre|script|style|textarea)(?=[ >]|$)/iy))
    return { end: /<\/(?:pre|script|style|textarea)>/i, code: true };
  const isBlock = at.match(BLOCK_TAG) || (!interruptsParagraph && at.match(LONE_TAG));
  return isBlock ? { code: false } : undefined;
}

/** Those that people write in Markdown; the others are blocks only where they are alone in a line. */
const BLOCK_TAG =
  /<\/?(?:article|aside|blockquote|body|caption|center|dd|details|div|dl|dt|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|iframe|li|link|main|nav|ol|p|section|summary|table|tbody|td|tfoot|th|thead|title|tr|ul)(?=[ >]|\/>|$)/iy;
const LONE_TAG = /<\/?[a-z][\w-]*(?: [^<>]*)?> *$/iy;
