import { expect, test } from 'vitest';
import { importedPaths } from '../../../../src/text/markdown/imports.ts';

test('an import is an @path at the start of a line or after a space', () => {
  expect(importedPaths('See @docs/a.md and @b.md.\n@c.md\n- @d/e.md')).toEqual([
    'docs/a.md',
    'b.md.',
    'c.md',
    'd/e.md',
  ]);
});

test('e-mail addresses, code and comments are not imports', () => {
  expect(importedPaths('me@example.org `@a.md` <!-- @b.md -->\n```\n@c.md\n```\n')).toEqual([]);
});

test('a space in a path is escaped', () => {
  expect(importedPaths('@my\\ notes.md')).toEqual(['my notes.md']);
});

test('code spans may have several backticks and lines; a backtick alone starts none', () => {
  expect(importedPaths('``@a.md`` and `` ` @b.md `` @c.md')).toEqual(['c.md']);
  expect(importedPaths('`begin\n@a.md\nend` @b.md')).toEqual(['b.md']);
  expect(importedPaths('a ` alone @a.md\n\n@b.md `')).toEqual(['a.md', 'b.md']);
});
