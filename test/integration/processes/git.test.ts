import { symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  checkedOutBranch,
  checkedOutCommit,
  excludeFor,
} from '../../../src/files/git.ts';
import { git as runGit } from '../../support/cli.ts';
import { makeProject, type Project } from '../../support/project.ts';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';

const git = (project: Project, ...words: string[]): string =>
  gitIn(project.root, project, ...words);

const gitIn = (cwd: string, { outside }: Project, ...words: string[]): string =>
  runGit({ root: cwd, home: outside }, ...words).trim();

const repository = (): Project => {
  const project = makeProject();
  git(project, 'init', '-q', '-b', 'main');
  git(project, 'commit', '-q', '--allow-empty', '-m', 'one');
  return project;
};

describe('as git itself writes it', () => {
  test('loose, packed and detached', () => {
    const project = repository();
    const commit = git(project, 'rev-parse', 'HEAD');
    expect(checkedOutCommit(project.root)).toBe(commit);
    git(project, 'pack-refs', '--all');
    expect(checkedOutCommit(project.root)).toBe(commit);
    git(project, 'checkout', '-q', '--detach');
    expect(checkedOutCommit(project.root)).toBe(commit);
  });
});

describe('the branch that is checked out', () => {
  test.each([
    ['refs/heads/feature/x', 'feature/x'],
    ['refs/remotes/origin/main', 'refs/remotes/origin/main'],
  ])('%s is called %s', (ref, name) => {
    expect(
      checkedOutBranch(makeProject({ '.git/HEAD': `ref: ${ref}\n` }).root),
    ).toBe(name);
  });

  test('is the worktree’s own', () => {
    const project = repository();
    const worktree = join(project.outside, 'tree');
    git(project, 'worktree', 'add', '-q', '-b', 'side', worktree);
    expect(checkedOutBranch(worktree)).toBe('side');
    expect(checkedOutBranch(project.root)).toBe('main');
  });
});

describe('a folder outside the project that .git points to', () => {
  const outside = {
    'outside/HEAD': 'ref: refs/heads/secret\n',
    'project/.claude/x': '',
  };

  test.each([
    [
      'by a link',
      (project: Project) =>
        symlinkSync('../outside', project.at('project/.git')),
    ],
    [
      'by name',
      (project: Project) =>
        project.write('project/.git', 'gitdir: ../outside\n'),
    ],
  ])('%s: counts only if git would accept it as a repository', (_how, lead) => {
    const project = makeProject(outside);
    lead(project);
    const root = project.at('project');
    expect(checkedOutBranch(root)).toBeUndefined();
    project.write('outside/HEAD', `${COMMIT}\n`);
    expect(checkedOutCommit(root)).toBeUndefined();

    project.write('shared/info/x', '');
    symlinkSync('../shared', project.at('outside/objects'));
    project.write('outside/refs/heads/x', '');
    expect(checkedOutCommit(root)).toBe(COMMIT);
  });
});

describe('the exclude file for a path', () => {
  const ownAnswer = (cwd: string, project: Project): object => {
    const ask = (...words: string[]): string =>
      gitIn(cwd, project, 'rev-parse', ...words);
    return {
      file: resolve(cwd, ask('--git-path', 'info/exclude')),
      top: ask('--show-toplevel'),
    };
  };

  test('is that of the containing repository, from any subfolder', () => {
    const project = repository();
    const answer = { file: project.at('.git/info/exclude'), top: project.root };
    expect(excludeFor(project.at('file'))).toEqual(answer);
    expect(excludeFor(project.at('not/there/yet/file'))).toEqual(answer);
    expect(ownAnswer(project.root, project)).toEqual(answer);
  });

  test('in a worktree is the common one, with the worktree as the top', () => {
    const project = repository();
    const worktree = join(project.outside, 'tree');
    git(project, 'worktree', 'add', '-q', worktree);
    const answer = { file: project.at('.git/info/exclude'), top: worktree };
    expect(
      excludeFor(join(worktree, '.claude', 'settings.local.json')),
    ).toEqual(answer);
    expect(ownAnswer(worktree, project)).toEqual(answer);
  });
});
