import type { MarkdownLine } from './types.ts';

/** The part of a line that belongs to a block: what follows its container marks. */
export interface LinePart {
  line: MarkdownLine;
  start: number;
}

/** Takes HTML comments out of a block's lines; a comment may span several of them. */
export function hideComments(parts: LinePart[], syntax: 'markdown' | 'html'): void {
  if (!parts.some(({ line }) => line.text.includes('<!--'))) return;
  const text = parts.map(({ line, start }) => line.text.slice(start)).join('\n');
  const comments = syntax === 'html' ? commentsInHtml(text) : commentsInMarkdown(text);
  const visible = withoutComments(text, comments).split('\n');
  for (const [index, { line, start }] of parts.entries()) {
    line.text = line.text.slice(0, start) + (visible[index] ?? '');
  }
}

interface Range {
  start: number;
  end: number;
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

/** Looks up closing backtick runs by length in one pass, because searching for each one is quadratic. */
function codeSpanFinder(text: string): (length: number, from: number) => number | undefined {
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

function withoutComments(text: string, comments: Range[]): string {
  let visible = '';
  let from = 0;
  for (const { start, end } of comments) {
    visible += text.slice(from, start) + text.slice(start, end).replaceAll(/[^\n]+/g, '');
    from = end;
  }
  return visible + text.slice(from);
}
