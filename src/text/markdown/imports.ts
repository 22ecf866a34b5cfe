import { scanMarkdown } from './scan.ts';

/** The paths that a CLAUDE.md file imports with `@path`, as written; code is ignored. */
export function importedPaths(text: string): string[] {
  if (!text.includes('@')) return [];
  return scanMarkdown(text, { hideCodeSpans: true })
    .filter(({ kind }) => kind === 'text')
    .flatMap((line) => [...line.text.matchAll(IMPORT)])
    .map(([, path = '']) => path.replaceAll('\\ ', ' '));
}

/** An `@` inside a word belongs to an e-mail address; spaces in a path are escaped. */
const IMPORT = /(?:^|\s)@((?:[^\s\\]|\\ )+)/g;
