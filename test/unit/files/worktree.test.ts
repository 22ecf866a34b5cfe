import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  checkedOutCommit,
  otherCheckouts,
  projectIdentity,
  repositoryOf,
} from '../../../src/files/git.ts';
import { makeProject, type Project } from '../../support/project.ts';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const SHOP = {
  'shop/.git/HEAD': COMMIT,
  'shop/.git/objects/x': '',
  'shop/.git/refs/x': '',
};

/** The repository `shop` and what else is in the folder; `{base}` in a file is that folder. */
function folderWith(tree: Record<string, string>): Project {
  const project = makeProject({ ...SHOP, 'evil/PLAN.md': '' });
  for (const [path, text] of Object.entries(tree))
    project.write(path, text.replaceAll('{base}', project.root));
  return project;
}

/** What `git worktree add ../fix` writes in `shop`. */
const WORKTREE = {
  'fix/.git': 'gitdir: {base}/shop/.git/worktrees/fix\n',
  'shop/.git/worktrees/fix/HEAD': COMMIT,
  'shop/.git/worktrees/fix/commondir': '../..\n',
  'shop/.git/worktrees/fix/gitdir': '{base}/fix/.git\n',
};

describe('a worktree that its repository names', () => {
  test.each([
    ['as git writes it', {}],
    [
      'with relative paths, as newer versions of git can write it',
      {
        'fix/.git': 'gitdir: ../shop/.git/worktrees/fix\n',
        'shop/.git/worktrees/fix/gitdir': '../../../../fix/.git\n',
      },
    ],
  ])('belongs to it: %s', (_how, files) => {
    const { root: base, at } = folderWith({
      ...WORKTREE,
      ...files,
      'fix/api/x': '',
    });
    expect(repositoryOf(at('fix'))).toEqual({
      top: at('fix'),
      gitFolder: at('shop/.git/worktrees/fix'),
      common: at('shop/.git'),
      mainCheckout: at('shop'),
      isWorktree: true,
    });
    expect(projectIdentity(at('fix'))).toBe(at('shop'));
    expect(projectIdentity(at('fix/api'))).toBe(at('shop/api'));
    expect(otherCheckouts(at('fix'))).toEqual([at('shop')]);
    expect(otherCheckouts(at('shop'))).toEqual([at('fix')]);
    expect(checkedOutCommit(at('fix'))).toBe(COMMIT);
    symlinkSync(base, `${base}-link`);
    expect(projectIdentity(join(`${base}-link`, 'fix'))).toBe(at('shop'));
  });

  test('of a bare repository has the git folder in the place of a main checkout', () => {
    const { at } = folderWith({
      'bare.git/worktrees/fix/commondir': '../..',
      'bare.git/worktrees/fix/gitdir': '{base}/fix/.git',
      'fix/.git': 'gitdir: {base}/bare.git/worktrees/fix',
    });
    expect(repositoryOf(at('fix'))).toMatchObject({
      mainCheckout: null,
      isWorktree: true,
    });
    expect(projectIdentity(at('fix'))).toBe(at('bare.git'));
  });
});

describe('a folder that claims to be a worktree is a project of its own', () => {
  const hostile: [what: string, files: Record<string, string>][] = [
    [
      'of a name that belongs to another folder',
      { 'evil/.git': WORKTREE['fix/.git'] },
    ],
    [
      'of a name that the repository does not have',
      { 'evil/.git': 'gitdir: ../shop/.git/worktrees/x' },
    ],
    [
      'by naming the git folder itself',
      { 'evil/.git': 'gitdir: {base}/shop/.git\n' },
    ],
    [
      'by a git folder of its own that names the repository as the shared one',
      {
        'evil/.git': 'gitdir: .other/worktrees/fix',
        'evil/.other/worktrees/fix/HEAD': COMMIT,
        'evil/.other/worktrees/fix/commondir': '{base}/shop/.git',
        'evil/.other/worktrees/fix/gitdir': '{base}/evil/.git',
      },
    ],
    [
      'by a directory .git that names the repository as the shared one',
      {
        'evil/.git/HEAD': COMMIT,
        'evil/.git/commondir': '{base}/shop/.git',
        'evil/.git/gitdir': '{base}/evil/.git',
      },
    ],
    [
      'by a name for which the repository says nothing',
      {
        'evil/.git': 'gitdir: {base}/shop/.git/worktrees/empty',
        'shop/.git/worktrees/empty/commondir': '../..',
      },
    ],
  ];

  test.each(hostile)('%s', (_what, files) => {
    const { at } = folderWith({ ...WORKTREE, ...files });
    expect(repositoryOf(at('evil'))).toMatchObject({
      mainCheckout: at('evil'),
      isWorktree: false,
    });
    expect(projectIdentity(at('evil'))).toBe(at('evil'));
    expect(otherCheckouts(at('evil'))).toEqual([]);
    expect(otherCheckouts(at('shop'))).toEqual([at('fix')]);
  });

  test('by a link to the .git file of a worktree', () => {
    const { at } = folderWith(WORKTREE);
    symlinkSync('../fix/.git', at('evil/.git'));
    expect(repositoryOf(at('evil'))).toMatchObject({
      mainCheckout: at('evil'),
      isWorktree: false,
    });
    expect(projectIdentity(at('evil'))).toBe(at('evil'));
    expect(otherCheckouts(at('evil'))).toEqual([]);
  });

  test('by a link to the git folder of a repository', () => {
    const { at } = folderWith(WORKTREE);
    symlinkSync('../shop/.git', at('evil/.git'));
    expect(projectIdentity(at('evil'))).toBe(at('evil'));
    expect(otherCheckouts(at('evil'))).toEqual([]);
  });
});

test('a repository cannot name the checkout of another one as its worktree', () => {
  const { at } = folderWith({
    ...WORKTREE,
    'evil/.git/HEAD': COMMIT,
    'evil/.git/worktrees/a/commondir': '../..',
    'evil/.git/worktrees/a/gitdir': '{base}/shop/.git',
    'evil/.git/worktrees/b/commondir': '../..',
    'evil/.git/worktrees/b/gitdir': '{base}/fix/.git',
  });
  expect(otherCheckouts(at('evil'))).toEqual([]);
});

test('a folder outside of git, and one of a submodule, is a project of its own', () => {
  const { at } = folderWith({
    'plain/x': '',
    'shop/lib/.git': 'gitdir: ../.git/modules/lib',
    'shop/.git/modules/lib/HEAD': COMMIT,
  });
  expect(projectIdentity(at('plain'))).toBe(at('plain'));
  expect(projectIdentity(at('shop/lib'))).toBe(at('shop/lib'));
  expect(repositoryOf(at('shop/lib'))).toMatchObject({
    common: at('shop/.git/modules/lib'),
  });
});
