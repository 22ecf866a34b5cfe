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
} from './block-start.ts';
import type { Container } from './block-start.ts';
import { hideComments, hideStruckText } from './hidden-text.ts';
import type { LinePart } from './hidden-text.ts';
import { endsHtmlBlock, htmlBlockAt } from './html-block.ts';
import type { HtmlBlock } from './html-block.ts';
import { sourceLines } from './lines.ts';

export interface ScanOptions {
  /** The number of lines to read; the rest is ignored. */
  maxLines?: number;
  /** Whether to leave out `~~struck-out~~` text. */
  hideStruckText?: boolean;
}

/** Follows CommonMark's block structure as far as needed to tell code, comments and headings apart. */
export function scanMarkdown(text: string, options: ScanOptions = {}): MarkdownLine[] {
  const scanner = new Scanner(options.hideStruckText ?? false);
  for (const line of sourceLines(text, options.maxLines)) scanner.read(line);
  scanner.end();
  return scanner.lines;
}

type Leaf =
  | { kind: 'paragraph'; parts: LinePart[] }
  | { kind: 'html'; block: HtmlBlock; parts: LinePart[] }
  | { kind: 'fence'; fence: string };

class Scanner {
  readonly lines: MarkdownLine[] = [];
  #containers: Container[] = [];
  #leaf: Leaf | undefined;

  constructor(private readonly hidesStruckText: boolean) {}

  read(text: string): void {
    const line: MarkdownLine = { number: this.lines.length + 1, text, kind: 'text' };
    this.lines.push(line);
    const at = new Cursor(text);
    const depth = this.#continueContainers(at);
    const inLeaf = depth === this.#containers.length;
    if (inLeaf && this.#continueRawLeaf(line, at)) return;
    if (!inLeaf && this.#leaf?.kind !== 'paragraph') this.#closeTo(depth);
    this.#startBlocks(line, at, depth);
  }

  end(): void {
    this.#closeTo(0);
  }

  #continueContainers(at: Cursor): number {
    let depth = 0;
    for (const container of this.#containers) {
      if (!at.continues(container)) break;
      depth += 1;
    }
    return depth;
  }

  /** Fences and HTML blocks take every line literally. */
  #continueRawLeaf(line: MarkdownLine, at: Cursor): boolean {
    const leaf = this.#leaf;
    if (leaf?.kind === 'fence') {
      line.kind = 'code';
      if (closesFence(at, leaf.fence)) this.#leaf = undefined;
      return true;
    }
    if (leaf?.kind !== 'html' || (at.blank && !leaf.block.end)) return false;
    this.#addHtml(leaf, line, at);
    return true;
  }

  #startBlocks(line: MarkdownLine, at: Cursor, matched: number): void {
    let depth = matched;
    let continuesParagraph = this.#leaf?.kind === 'paragraph' && depth === this.#containers.length;
    while (depth < MAX_DEPTH) {
      const container = openContainer(at, continuesParagraph);
      if (!container) break;
      this.#closeTo(depth);
      this.#containers.push(container);
      depth += 1;
      continuesParagraph = false;
    }
    if (at.blank) this.#closeTo(depth);
    else if (at.indent >= 4) this.#addIndented(line, at, depth);
    else if (continuesParagraph && isSetextUnderline(at)) this.#endSetextHeading(line, at);
    else this.#startLeaf(line, at, depth);
  }

  #addIndented(line: MarkdownLine, at: Cursor, depth: number): void {
    if (this.#leaf) return this.#addParagraph(line, at, depth);
    this.#closeTo(depth);
    line.kind = 'code';
  }

  #endSetextHeading(underline: MarkdownLine, at: Cursor): void {
    const parts = this.#leaf?.kind === 'paragraph' ? this.#leaf.parts : [];
    this.#closeLeaf();
    const text = parts.map((part) => part.line.text.slice(part.start).trim()).join(' ');
    const first = parts[0]?.line;
    if (first) {
      const level = at.char === '=' ? 1 : 2;
      first.heading = { level, text, lines: parts.length, isUnderlined: true };
    }
    underline.text = underline.text.slice(0, at.next);
  }

  #startLeaf(line: MarkdownLine, at: Cursor, depth: number): void {
    const atx = atxHeadingAt(at);
    const fence = fenceAt(at);
    const block = htmlBlockAt(at, this.#leaf !== undefined);
    if (!atx && !fence && !block && !isRule(at)) return this.#addParagraph(line, at, depth);

    this.#closeTo(depth);
    if (atx) {
      line.text = line.text.slice(0, atx.end);
      this.#hideInline([{ line, start: atx.start }]);
      const heading = line.text.slice(atx.start).trim();
      line.heading = { level: atx.level, text: heading, lines: 1, isUnderlined: false };
    } else if (fence) {
      line.kind = 'code';
      this.#leaf = { kind: 'fence', fence };
    } else if (block) {
      const leaf: Leaf = { kind: 'html', block, parts: [] };
      this.#leaf = leaf;
      this.#addHtml(leaf, line, at);
    }
  }

  #addHtml(leaf: Leaf & { kind: 'html' }, line: MarkdownLine, at: Cursor): void {
    if (leaf.block.code) line.kind = 'code';
    leaf.parts.push({ line, start: at.pos });
    if (endsHtmlBlock(leaf.block, at)) this.#closeLeaf();
  }

  /** An open paragraph continues even if the line leaves its containers (CommonMark's lazy continuation). */
  #addParagraph(line: MarkdownLine, at: Cursor, depth: number): void {
    const part = { line, start: at.next };
    if (this.#leaf?.kind === 'paragraph') {
      this.#leaf.parts.push(part);
      return;
    }
    this.#closeTo(depth);
    this.#leaf = { kind: 'paragraph', parts: [part] };
  }

  #closeTo(depth: number): void {
    this.#closeLeaf();
    if (this.#containers.length > depth) this.#containers.length = depth;
  }

  #closeLeaf(): void {
    if (this.#leaf?.kind === 'paragraph') this.#hideInline(this.#leaf.parts);
    if (this.#leaf?.kind === 'html') hideComments(this.#leaf.parts, 'html');
    this.#leaf = undefined;
  }

  #hideInline(parts: LinePart[]): void {
    hideComments(parts, 'markdown');
    if (this.hidesStruckText) hideStruckText(parts);
  }
}
