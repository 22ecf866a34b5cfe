import { codeSpanFinder } from './code-spans.ts';
import type { MarkdownLine } from './types.ts';

/** The part of a line that belongs to a block: everything behind its container marks. */
export interface LinePart {
  line: MarkdownLine;
  start: number;
}

/** Removes HTML comments from the lines of a block; a comment may span several of them. */
export function hideComments(parts: LinePart[], syntax: 'markdown' | 'html'): void {
  hide(parts, '<!--', syntax === 'html' ? commentsInHtml : commentsInMarkdown);
}

/** Removes `~~struck-out~~` text from the lines of a paragraph or heading; it may span several of them. */
export function hideStruckText(parts: LinePart[]): void {
  hide(parts, '~~', struckText);
}

interface Range {
  start: number;
  end: number;
}

function hide(parts: LinePart[], mark: string, findRanges: (text: string) => Range[]): void {
  if (!parts.some(({ line }) => line.text.includes(mark))) return;
  const text = parts.map(({ line, start }) => line.text.slice(start)).join('\n');
  const visible = withoutRanges(text, findRanges(text)).split('\n');
  for (const [index, { line, start }] of parts.entries()) {
    line.text = line.text.slice(0, start) + (visible[index] ?? '');
  }
}

function commentsInHtml(text: string): Range[] {
  const comments: Range[] = [];
  let start = text.indexOf('<!--');
  while (start >= 0) {
    const end = commentEnd(text, start) ?? text.length;
    comments.push({ start, end });
    start = text.indexOf('<!--', end);
  }
  return comments;
}

/** In a paragraph, code spans and backslashes make a comment mark plain text. */
function commentsInMarkdown(text: string): Range[] {
  const comments: Range[] = [];
  const codeSpanEnd = codeSpanFinder(text);
  const tokens = /`+|\\.|<!--/gs;
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    if (token[0].startsWith('`')) {
      tokens.lastIndex = codeSpanEnd(token[0].length, tokens.lastIndex) ?? tokens.lastIndex;
    } else if (token[0] === '<!--') {
      const end = commentEnd(text, token.index);
      if (end === undefined) break;
      comments.push({ start: token.index, end });
      tokens.lastIndex = end;
    }
  }
  return comments;
}

/** `<!-->` and `<!--->` are whole comments, so the end may share dashes with the start. */
function commentEnd(text: string, start: number): number | undefined {
  const end = text.indexOf('-->', start + 2);
  return end < 0 ? undefined : end + 3;
}

/** As on GitHub: exactly two tildes, no space inside them at either end, code spans left alone. */
function struckText(text: string): Range[] {
  const struck: Range[] = [];
  const codeSpanEnd = codeSpanFinder(text);
  const tokens = /`+|\\.|~+/gs;
  let opening: number | undefined;
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    const end = tokens.lastIndex;
    if (token[0].startsWith('`')) {
      tokens.lastIndex = codeSpanEnd(token[0].length, end) ?? end;
    } else if (token[0] === '~~') {
      const closes = opening !== undefined && /\S/.test(text.charAt(token.index - 1));
      if (closes && opening !== undefined) struck.push({ start: opening, end });
      opening = !closes && /\S/.test(text.charAt(end)) ? token.index : undefined;
    }
  }
  return struck;
}

/** Keeps the line breaks, so that every line is still there. */
function withoutRanges(text: string, ranges: Range[]): string {
  let visible = '';
  let from = 0;
  for (const { start, end } of ranges) {
    visible += text.slice(from, start) + text.slice(start, end).replaceAll(/[^\n]+/g, '');
    from = end;
  }
  return visible + text.slice(from);
}
