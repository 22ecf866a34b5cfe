import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findProjectRoot } from '../../../src/files/environment.ts';
import { makeProject } from '../../support/project.ts';

const HOME = '/nobody';

describe('the project root is the first folder upwards with', () => {
  test.each([
    'untracked/workflow-state/x/y',
    '.claude/holdfast.json',
    '.git/HEAD',
    '.git',
    '.claude/settings.json',
  ])('%s', (file) => {
    const project = makeProject({ [file]: '', 'packages/api/src/index.ts': '' });
    expect(findProjectRoot(project.at('packages/api/src'), HOME)).toBe(project.root);
    expect(findProjectRoot(project.root, HOME)).toBe(project.root);
  });
});

test('the nearest one counts, whichever mark it has', () => {
  const project = makeProject({
    '.git/HEAD': '',
    'untracked/workflow-state/.gitignore': '*',
    'packages/api/.claude/x': '',
  });
  expect(findProjectRoot(project.at('packages/api'), HOME)).toBe(project.at('packages/api'));
});

test('a git worktree is a project of its own', () => {
  const project = makeProject({ '.git/HEAD': '', 'trees/side/.git': 'gitdir: elsewhere' });
  expect(findProjectRoot(project.at('trees/side'), HOME)).toBe(project.at('trees/side'));
});

describe('the home folder', () => {
  test('does not count because of its .claude', () => {
    const home = makeProject({ '.claude/settings.json': '', 'notes/today.md': '' });
    expect(findProjectRoot(home.at('notes'), home.root)).toBe(home.at('notes'));
    expect(findProjectRoot(home.at('notes'), `${home.root}/`)).toBe(home.at('notes'));
    expect(findProjectRoot(home.root, home.root)).toBe(home.root);
  });

  test('counts because of anything else', () => {
    for (const file of ['.git/HEAD', 'untracked/workflow-state/x', '.claude/holdfast.json']) {
      const home = makeProject({ '.claude/settings.json': '', 'notes/today.md': '', [file]: '' });
      expect(findProjectRoot(home.at('notes'), home.root)).toBe(home.root);
    }
  });

  test('does not hide a project above it', () => {
    const project = makeProject({ '.git/HEAD': '', 'home/.claude/x': '', 'home/notes/x': '' });
    expect(findProjectRoot(project.at('home/notes'), project.at('home'))).toBe(project.root);
  });
});

test('untracked alone makes no project', () => {
  const project = makeProject({ 'untracked/notes.md': '', '.git/HEAD': '', 'a/untracked/b': '' });
  expect(findProjectRoot(project.at('a'), HOME)).toBe(project.root);
});

test('where nothing is found, it is the starting folder', () => {
  const { outside } = makeProject();
  const start = join(outside, 'deep', 'down');
  mkdirSync(start, { recursive: true });
  expect(findProjectRoot(start, HOME)).toBe(start);
  expect(findProjectRoot(join(start, '..'), HOME)).toBe(dirname(start));
});

test('a home folder that is named by a link is still the home folder', () => {
  const project = makeProject({ '.claude/x': '', 'notes/x': '' });
  const home = join(project.outside, 'home');
  symlinkSync(project.root, home);
  expect(findProjectRoot(project.at('notes'), home)).toBe(project.at('notes'));
});

describe('a path that no folder can have', () => {
  test('belongs to the project of its beginning, else it is its own', () => {
    const project = makeProject({ '.git/HEAD': '' });
    expect(findProjectRoot(project.root + '/a'.repeat(10_000), HOME)).toBe(project.root);
    const nowhere = `/not-there${'/a'.repeat(10_000)}`;
    expect(findProjectRoot(nowhere, HOME)).toBe(nowhere);
  });
});
