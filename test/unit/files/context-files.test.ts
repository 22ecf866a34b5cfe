import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { denier, withholder } from '../../../src/files/context-files.ts';
import { makeProject } from '../../support/project.ts';

const project = (deny: unknown): string =>
  makeProject({
    '.claude/settings.json': JSON.stringify({ permissions: { deny } }),
  }).root;

const STARS = `${'*'.repeat(400)}x${'**/'.repeat(100)}${'*a'.repeat(100)}`;

it.each<[rule: unknown, withheld: string[], open: string[]]>([
  [
    '',
    ['.env', 'a/.env.local', 'certs/Server.PEM', 'id_rsa', '.ssh/id_x.old'],
    ['env', 'a/grid_x'],
  ],
  [
    'Read(./a.md)',
    ['a.md', 'sub/../a.md', 'A.md', 'a.md/below'],
    ['aa.md', 'a.mdx'],
  ],
  ['Read(a.md)', ['a.md', 'x/y/a.md'], ['x/b.md']],
  ['Read(docs/**)', ['docs/a.md', 'docs/x/a.md'], ['docs.md', 'x/docs/a.md']],
  ['Read(docs/)', ['docs/a.md', 'x/docs/a.md'], ['docs.md']],
  ['Read(/docs/*.md)', ['docs/a.md'], ['docs/x/a.md', 'a.md']],
  ['Read(**/secret/*)', ['secret/a', 'x/y/secret/a'], ['secrets/a']],
  [
    'Read(docs/**/n[a-z]tes.{md,txt})',
    ['docs/notes.md', 'docs/x/y/notes.txt'],
    ['docs/a.md'],
  ],
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

const EVERYTHING = [
  ...[
    'Read',
    'Read()',
    'Read(*)',
    'Read(**)',
    'Read(/**)',
    'Read(//**)',
    'Read(./**)',
    'Read(**/*)',
  ],
  ...[
    'Read(//**/*)',
    'Read(**/**)',
    'Read(.)',
    'Read(./)',
    'Read(/)',
    'Read(//)',
    'Read( ** )',
  ],
  ...[' Read ', 'Read (**)', '*', 'R*', 'Read(/*)', 'Read(*/)'],
];

it.each(EVERYTHING)(
  'the rule %j withholds everything, be it to deny or to ask',
  (rule) => {
    const paths = ['a.md', 'x/b.md', '.hidden', 'x/y/z'];
    for (const list of ['deny', 'ask']) {
      const { root } = makeProject({
        '.claude/settings.json': JSON.stringify({
          permissions: { [list]: [rule] },
        }),
      });
      const isWithheld = withholder(root);
      expect(
        paths.filter((path) => !isWithheld(path)),
        list,
      ).toEqual([]);
      expect(paths.filter(denier(root)), list).toEqual(
        list === 'deny' ? paths : [],
      );
    }
  },
);

it('the home folder is everything in a project below it', () => {
  const home = makeProject({ 'shop/.claude/x': '' });
  vi.stubEnv('HOME', home.root);
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const rule of ['Read(~)', 'Read(~/)', 'Read(~/**)', 'Read(~/shop)']) {
    home.write(
      'shop/.claude/settings.json',
      JSON.stringify({ permissions: { deny: [rule] } }),
    );
    expect(withholder(home.at('shop'))('a.md'), rule).toBe(true);
  }
});

it('of more rules than are looked at, none is forgotten: everything is withheld', () => {
  const rules = (tool: string): string[] =>
    Array.from({ length: 1_001 }, (_, n) => `${tool}(x${n}.md)`);
  expect(withholder(project(rules('Read')))('a.md')).toBe(true);
  const isWithheld = withholder(project([...rules('Bash'), 'Read(b.md)']));
  expect(isWithheld('a.md')).toBe(false);
  expect(isWithheld('b.md')).toBe(true);
  expect(withholder(project([`Read(${'x/'.repeat(600)}**)`]))('a.md')).toBe(
    true,
  );
});

it('rules of the top folder and of the main checkout count in a sub-folder and in a worktree', () => {
  const deny = JSON.stringify({
    permissions: { deny: ['Read(secret.md)', 'Read(./api/key.md)'] },
  });
  const { root: base, at } = makeProject({
    'shop/.git/HEAD': '',
    'shop/.claude/settings.local.json': deny,
    'shop/api/.claude/x': '',
    'shop/.git/worktrees/fix/commondir': '../..',
    'fix/.git': 'gitdir: ../shop/.git/worktrees/fix',
    'evil/.git': 'gitdir: ../shop/.git/worktrees/fix',
  });
  writeFileSync(at('shop/.git/worktrees/fix/gitdir'), `${base}/fix/.git\n`);
  for (const [root, key] of [
    ['shop', 'api/key.md'],
    ['shop/api', 'key.md'],
    ['fix', 'api/key.md'],
  ] as const) {
    const isWithheld = withholder(at(root));
    expect(isWithheld('secret.md'), root).toBe(true);
    expect(isWithheld(key), root).toBe(true);
    expect(isWithheld('other.md'), root).toBe(false);
  }
  expect(withholder(at('evil'))('secret.md')).toBe(false);
});

it('an absolute rule, and one that is not in a list', () => {
  const root = project([]);
  const settings = join(root, '.claude/settings.json');
  writeFileSync(
    settings,
    JSON.stringify({ permissions: { deny: [`Read(/${root}/a.md)`] } }),
  );
  expect(withholder(root)('a.md')).toBe(true);
  expect(withholder(root)('b/a.md')).toBe(false);
  expect(withholder(dirname(root))('a.md')).toBe(false);
  writeFileSync(settings, '{"permissions": {"deny": "Read"}}');
  expect(withholder(root)('a.md')).toBe(false);
});
