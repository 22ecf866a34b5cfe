import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { withholder } from '../../../src/files/context-files.ts';
import { makeProject } from '../../support/project.ts';

const project = (deny: unknown): string =>
  makeProject({ '.claude/settings.json': JSON.stringify({ permissions: { deny } }) }).root;

const STARS = `${'*'.repeat(400)}x${'**/'.repeat(100)}${'*a'.repeat(100)}`;

it.each<[rule: unknown, withheld: string[], open: string[]]>([
  [
    '',
    ['.env', 'a/.env.local', 'certs/Server.PEM', 'id_rsa', '.ssh/id_x.old'],
    ['env', 'a/grid_x'],
  ],
  ['Read(./a.md)', ['a.md', 'sub/../a.md', 'A.md', 'a.md/below'], ['aa.md', 'a.mdx']],
  ['Read(a.md)', ['a.md', 'x/y/a.md'], ['x/b.md']],
  ['Read(docs/**)', ['docs/a.md', 'docs/x/a.md'], ['docs.md', 'x/docs/a.md']],
  ['Read(docs/)', ['docs/a.md', 'x/docs/a.md'], ['docs.md']],
  ['Read(/docs/*.md)', ['docs/a.md'], ['docs/x/a.md', 'a.md']],
  ['Read(**/secret/*)', ['secret/a', 'x/y/secret/a'], ['secrets/a']],
  ['Read(docs/**/n[a-z]tes.{md,txt})', ['docs/notes.md', 'docs/x/y/notes.txt'], ['docs/a.md']],
  ['Read(//**/a.md)', ['a.md', 'x/a.md'], ['b.md']],
  ['Read(*)', ['a.md', 'x/b.md'], []],
  ['Read', ['a.md', 'x/b.md'], []],
  ['Edit(a.md)', [], ['a.md']],
  ['ReadX', [], ['a.md']],
  [7, [], ['7']],
  [`Read(${STARS})`, [], [`${'a'.repeat(200)}/b`]],
])('the rule %j', (rule, withheld, open) => {
  const isWithheld = withholder(project([rule]));
  expect(withheld.filter((path) => !isWithheld(path))).toEqual([]);
  expect(open.filter(isWithheld)).toEqual([]);
});

it('an absolute rule, and one that is not in a list', () => {
  const root = project([]);
  const settings = join(root, '.claude/settings.json');
  writeFileSync(settings, JSON.stringify({ permissions: { deny: [`Read(/${root}/a.md)`] } }));
  expect(withholder(root)('a.md')).toBe(true);
  expect(withholder(root)('b/a.md')).toBe(false);
  expect(withholder(dirname(root))('a.md')).toBe(false);
  writeFileSync(settings, '{"permissions": {"deny": "Read"}}');
  expect(withholder(root)('a.md')).toBe(false);
});
