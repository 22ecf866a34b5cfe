import { codeSpanFinder, scanMarkdown } from './scan.ts';

/** The paths that a CLAUDE.md file imports with `@path`, as written; code is ignored. */
export function importedPaths(text: string): string[] {
  if (!text.includes('@')) return [];
  // Lines of text that follow each other are one block: a code span may extend over several.
  const seen = scanMarkdown(text).map((line) =>
    line.kind === 'text' ? line.text.trim() : '',
  );
  return seen
    .join('\n')
    .split(/\n{2,}/)
    .flatMap((block) => [...withoutCodeSpans(block).matchAll(IMPORT)])
    .map(([, path = '']) => path.replaceAll('\\ ', ' '));
}

/** An `@` inside a word belongs to an e-mail address; spaces in a path are escaped. */
const IMPORT = /(?:^|\s)@((?:[^\s\\]|\\ )+)/g;

function withoutCodeSpans(text: string): string {
  const codeSpanEnd = codeSpanFinder(text);
  let kept = '';
  let from = 0;
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    const end =
      index < from ? undefined : codeSpanEnd(run.length, index + run.length);
    if (end === undefined) continue;
    kept += `${text.slice(from, index)} `;
    from = end;
  }
  return kept + text.slice(from);
}
