import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claudeFolders, foldersAbove } from '../../../../src/headless/trust/claude-folders.ts';
import { makeProject } from '../../../support/project.ts';

test('folders of the project are found at any depth, but not in packages that were installed', () => {
  const { root, outside } = makeProject({
    '.claude/settings.json': '{}',
    'packages/web/.claude/skills/a/SKILL.md': '',
    'node_modules/evil/.claude/skills/a/SKILL.md': '',
  });
  expect(claudeFolders({ root, config: outside })).toEqual({
    folders: [join(root, '.claude'), join(root, 'packages/web/.claude')],
    isIncomplete: false,
  });
});

test('a project with too many folders is said to be incomplete', () => {
  const { root, outside } = makeProject({ 'a/b/c/d': '' });
  expect(claudeFolders({ root, config: outside }, 2).isIncomplete).toBe(true);
  expect(claudeFolders({ root, config: outside }, 9).isIncomplete).toBe(false);
});

test('folders above count within a repository only', () => {
  const { root } = makeProject({ 'repo/.git/HEAD': 'ref: refs/heads/main\n', 'repo/a/b/c': '' });
  expect(foldersAbove(join(root, 'repo/a/b'))).toEqual([join(root, 'repo/a'), join(root, 'repo')]);
  expect(foldersAbove(join(root, 'repo'))).toEqual([]);
  expect(foldersAbove(root)).toEqual([]);
});
