import { scanMarkdown } from './scan.ts';

/** The paths that a memory file of the host imports with `@path`, as they are written, outside code. */
export function importedPaths(text: string): string[] {
  if (!text.includes('@')) return [];
  return scanMarkdown(text)
    .filter(({ kind }) => kind === 'text')
    .flatMap(({ text: line }) => [...withoutCode(line).matchAll(IMPORT)])
    .map(([, path = '']) => path.replaceAll('\\ ', ' '));
}

/** An `@` inside a word is an address, not an import; a space in a path is escaped. */
const IMPORT = /(?:^|\s)@((?:[^\s\\]|\\ )+)/g;

function withoutCode(line: string): string {
  return line
    .split('`')
    .filter((_, index) => index % 2 === 0)
    .join(' ');
}
