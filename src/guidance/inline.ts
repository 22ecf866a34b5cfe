import { fenced } from '../util/sanitize.ts';
import type { ReadingEntry } from '../reading/reading-list.ts';

/** The reading list always has space to name this many. */
const MAX_FILES = 8;

/** The content of a required file, whose id is its `@path`, or of an artifact. */
export interface InlinedFile {
  id: string;
  title: string;
  content: string;
  block: string;
}

/** Required files that are inlined whole, in order, while they fit. */
export function inlineFiles(
  reading: readonly ReadingEntry[],
  contentOf: (path: string) => string | undefined,
  maxChars: number,
): InlinedFile[] {
  let left = maxChars;
  const files: InlinedFile[] = [];
  for (const { path, state } of reading) {
    if (left <= 0 || files.length === MAX_FILES) break;
    if (state === 'missing' || state === 'outside' || state === 'host') continue;
    const content = contentOf(path);
    if (content === undefined || content.trim() === '') continue;
    const isThere = files.some((file) => file.content === content);
    if (!isThere && content.length > left) continue;
    if (!isThere) left -= content.length;
    files.push({ id: path, title: path, content, block: fenced(content) });
  }
  return files;
}
