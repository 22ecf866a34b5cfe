import { scanMarkdown } from './scan.ts';

/** The paths that a CLAUDE.md file imports with `@path`, as written; code is ignored. */
export function importedPaths(text: string): string[] {
  if (!text.includes('@')) return [];
  return textBlocks(text)
    .flatMap((block) => [...withoutCodeSpans(block).matchAll(IMPORT)])
    .map(([, path = '']) => path.replaceAll('\\ ', ' '));
}

/** An `@` inside a word belongs to an e-mail address; spaces in a path are escaped. */
const IMPORT = /(?:^|\s)@((?:[^\s\\]|\\ )+)/g;

/** Lines of text that follow each other: a code span may extend over several. */
function textBlocks(text: string): string[] {
  const blocks: string[] = [];
  let isOpen = false;
  for (const { kind, text: line } of scanMarkdown(text)) {
    const isText = kind === 'text' && line.trim() !== '';
    if (isText && isOpen) blocks.push(`${blocks.pop() ?? ''}\n${line}`);
    else if (isText) blocks.push(line);
    isOpen = isText;
  }
  return blocks;
}

/** A span begins and ends with the same number of backticks. */
function withoutCodeSpans(text: string): string {
  const parts = text.split(/(`+)/);
  const closing = closingParts(parts);
  const kept: string[] = [];
  for (let index = 0; index < parts.length; index += 1) {
    const end = closing[index];
    kept.push(end === undefined ? (parts[index] ?? '') : ' ');
    index = end ?? index;
  }
  return kept.join('');
}

/** For each run of backticks (the odd parts) the next one of the same length. */
function closingParts(parts: readonly string[]): (number | undefined)[] {
  const next = new Map<number, number>();
  const closing: (number | undefined)[] = [];
  for (let index = parts.length - 1; index >= 0; index -= 1) {
    if (index % 2 === 0) continue;
    const length = parts[index]?.length ?? 0;
    closing[index] = next.get(length);
    next.set(length, index);
  }
  return closing;
}
