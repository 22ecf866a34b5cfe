import { codeSpanFinder } from './code-spans.ts';
import type { MarkdownLine } from './types.ts';

/** The part of a line that belongs to a block: everything behind its container marks. */
export interface LinePart {
  line: MarkdownLine;
  start: number;
}

/** What to look for: in a paragraph, code spans and backslashes make the marks plain text. */
export const COMMENTS_IN_HTML = /<!--/g;
export const COMMENTS = /`+|\\.|<!--/gs;
export const STRUCK_TEXT = /`+|\\.|~+/gs;

/**
 * Removes HTML comments or `~~struck-out~~` text from the lines of a block; both may span several of them. Struck out is
 * as on GitHub: exactly two tildes, no space inside them at either end.
 */
export function hideText(parts: LinePart[], tokens: RegExp): void {
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
