import { scanMarkdown } from './scan.ts';

/** The paths that a CLAUDE.md file imports with `@path`, as written; code is ignored. */
export function importedPaths(text: string): string[] {
  if (!text.includes('@')) return [];
  return scanMarkdown(text)
    .filter(({ kind }) => kind === 'text')
    .flatMap(({ text: line }) => [...withoutCode(line).matchAll(IMPORT)])
    .map(([, path = '']) => path.replaceAll('\\ ', ' '));
}

/** An `@` inside a word belongs to an e-mail address; spaces in a path are escaped. */
const IMPORT = /(?:^|\s)@((?:[^\s\\]|\\ )+)/g;

function withoutCode(line: string): string {
  return line
    .split('`')
    .filter((_, index) => index % 2 === 0)
    .join(' ');
}
