import { posix, win32 } from 'node:path';
import { expect, it } from 'vitest';
import { shownPath } from '../../../../src/commands/view/layout.ts';

it.each([
  ['/project', '/project/docs/spec.md', 'docs/spec.md'],
  ['/project/pkg', '/project/docs/spec.md', '/project/docs/spec.md'],
  ['/project', '/project', '/project'],
  ['/project', '/project/..notes/a.md', '..notes/a.md'],
])('from %s, %s is %s', (cwd, file, shown) => {
  expect(shownPath(cwd, file, posix)).toBe(shown);
});

it.each([
  ['C:\\work\\shop', 'C:\\work\\shop\\docs\\spec.md', 'docs/spec.md'],
  ['C:\\work\\shop', 'c:\\Work\\shop\\docs\\spec.md', 'docs/spec.md'],
  ['C:\\work\\shop', 'D:\\docs\\spec.md', 'D:\\docs\\spec.md'],
  ['C:\\work\\shop\\pkg', 'C:\\work\\shop\\docs\\spec.md', 'C:\\work\\shop\\docs\\spec.md'],
  ['\\\\server\\share', '\\\\server\\share\\a\\b.md', 'a/b.md'],
])('on Windows, from %s, %s is %s', (cwd, file, shown) => {
  expect(shownPath(cwd, file, win32)).toBe(shown);
});
