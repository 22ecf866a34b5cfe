import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findProjectRoot } from '../../../src/files/environment.ts';
import { makeProject } from '../../support/project.ts';

const HOME = '/nobody';
const STATE = 'untracked/workflow-state/x';

test.each([
  ['its state folder', [STATE, 'a/b/x'], 'a/b', '.'],
  ['its settings', ['.claude/holdfast.json', 'a/b/x'], 'a/b', '.'],
  ['a repository', ['.git/HEAD', 'a/b/x'], 'a/b', '.'],
  [
    'the file .git of a worktree',
    ['.git/HEAD', 'trees/side/.git'],
    'trees/side',
    'trees/side',
  ],
  ['a folder .claude', ['.claude/settings.json', 'a/b/x'], 'a/b', '.'],
  [
    'the nearest, whichever mark it has',
    ['.git/HEAD', STATE, 'a/.claude/x'],
    'a',
    'a',
  ],
  ['not untracked alone', ['.git/HEAD', 'a/untracked/b'], 'a', '.'],
  ['nothing: then it is the starting folder', ['a/b/x'], 'a/b', 'a/b'],
])('the project root is found by %s', (_mark, files, start, root) => {
  const project = makeProject(
    Object.fromEntries(files.map((file) => [file, ''])),
  );
  expect(findProjectRoot(project.at(start), HOME)).toBe(
    join(project.root, root),
  );
});

describe('the home folder', () => {
  test.each([
    ['does not count because of its .claude', 'home/.claude/x', 'home/notes'],
    ['counts because of a repository', 'home/.git/HEAD', 'home'],
    ['counts because of runs', `home/${STATE}`, 'home'],
    ['does not hide a project above it', '.git/HEAD', '.'],
  ])('%s', (_what, file, root) => {
    const project = makeProject({
      'home/.claude/x': '',
      'home/notes/x': '',
      [file]: '',
    });
    for (const home of [project.at('home'), `${project.at('home')}/`])
      expect(findProjectRoot(project.at('home/notes'), home)).toBe(
        join(project.root, root),
      );
  });

  test('is still the home folder if it is named by a link', () => {
    const project = makeProject({ '.claude/x': '', 'notes/x': '' });
    const home = join(project.outside, 'home');
    symlinkSync(project.root, home);
    expect(findProjectRoot(project.at('notes'), home)).toBe(
      project.at('notes'),
    );
  });
});
