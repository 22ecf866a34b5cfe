import { withoutDecoration } from './field-line.ts';

/** The paths in a line that starts with `@`, each with its `@`; undefined for other lines. */
export function readingPaths(text: string): string[] | undefined {
  const line = withoutDecoration(text);
  if (!line.startsWith('@')) return undefined;
  const isQuoted = text.slice(0, text.length - line.length).endsWith('`');
  const paths = isQuoted ? [line.slice(1).split('`', 1)[0] ?? ''] : line.slice(1).split(/\s@/);
  return paths
    .map((path) => withoutTail(isQuoted ? withoutFragment(path) : pathIn(path)))
    .filter((path) => path !== '')
    .map((path) => `@${path}`);
}

/** A path may contain spaces, and a description may follow it. */
function pathIn(text: string): string {
  const described = withoutFragment(withoutDescription(text).replaceAll('`', '')).trim();
  const [first = ''] = described.split(/\s/, 1);
  if (first === described || HAS_EXTENSION.test(described)) return described;
  if (HAS_EXTENSION.test(withoutTail(first))) return first;
  return described.includes('/') ? described : '';
}

const HAS_EXTENSION = /\.[a-z0-9]{1,8}$/i;

function withoutDescription(text: string): string {
  const end = /\s[-–—]+\s|:\s/.exec(text)?.index ?? text.length;
  const path = text.slice(0, end).trim();
  const note = path.indexOf(' (');
  return note >= 0 && path.endsWith(')') ? path.slice(0, note) : path;
}

/** `docs/a.md#setup` is a place in `docs/a.md`; `notes#1.md` and `C#/a.md` are names with a `#` in them. */
function withoutFragment(path: string): string {
  const afterExtension = /\.[a-z0-9]{1,8}(?=#)/i.exec(path);
  if (afterExtension) return path.slice(0, afterExtension.index + afterExtension[0].length);
  const hash = path.indexOf('#', path.lastIndexOf('/') + 1);
  return hash < 0 || HAS_EXTENSION.test(path) ? path : path.slice(0, hash);
}

function withoutTail(path: string): string {
  let end = path.length;
  while (end > 0 && '*.,;: '.includes(path.charAt(end - 1))) end -= 1;
  return path.slice(0, end).trim();
}
