import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isInProject } from '../../../src/files/users-folder.ts';
import { makeProject } from '../../support/project.ts';

test("a user's folder inside the project may have come with it", () => {
  const { root } = makeProject();
  const place = { root, config: join(root, 'cfg') };
  expect(isInProject(place, '/home/else')).toBe(true);
  expect(isInProject(place, null)).toBe(true);
  expect(isInProject({ root, config: '/elsewhere/cfg' }, '/home/else')).toBe(
    false,
  );
});

test("~/.claude is the user's own, even if home is the project", () => {
  const { root } = makeProject();
  const place = { root, config: join(root, '.claude') };
  expect(isInProject(place, root)).toBe(false);
  expect(isInProject(place, '/home/else')).toBe(true);
});

test('a home folder that is a repository makes no project of the folders in it', () => {
  const { root: home, at } = makeProject({
    '.git/HEAD': '',
    'work/.claude/x': '',
  });
  const place = { root: at('work'), config: at('.config/claude') };
  expect(isInProject(place, home)).toBe(false);
  expect(isInProject(place, '/home/else')).toBe(true);
  expect(isInProject({ root: at('work'), config: at('work/cfg') }, home)).toBe(
    true,
  );
});

test('so may one beside a sub-folder of the repository, in its worktree or in its main checkout', () => {
  const { root, at, write } = makeProject({
    'shop/.git/worktrees/fix/commondir': '../..',
    'fix/.git': 'gitdir: ../shop/.git/worktrees/fix',
    'shop/api/.claude/x': '',
    'fix/api/.claude/x': '',
  });
  write('shop/.git/worktrees/fix/gitdir', `${root}/fix/.git\n`);
  for (const [project, config] of [
    ['shop/api', 'shop/cfg'],
    ['fix/api', 'fix/cfg'],
    ['fix/api', 'shop/cfg'],
  ] as const)
    expect(
      isInProject({ root: at(project), config: at(config) }, '/home/else'),
      project,
    ).toBe(true);
});

test('so may one in a repository around that of the project, such as that of a submodule', () => {
  const { root: home, at } = makeProject({
    '.git/HEAD': '',
    'shop/.git/HEAD': '',
    'shop/libs/api/.git': 'gitdir: ../../.git/modules/api',
    'shop/libs/api/.claude/x': '',
  });
  const project = at('shop/libs/api');
  expect(
    isInProject({ root: project, config: at('shop/cfg') }, '/home/else'),
  ).toBe(true);
  expect(isInProject({ root: project, config: at('shop/cfg') }, home)).toBe(
    true,
  );
  expect(isInProject({ root: project, config: at('cfg') }, home)).toBe(false);
});
