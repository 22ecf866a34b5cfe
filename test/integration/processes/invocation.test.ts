import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { delimiter } from 'node:path';
import { describe, expect, test } from 'vitest';
import { invocationFor, isOnPath } from '../../../src/install/host-commands.ts';
import { makeProject, type Project } from '../../support/project.ts';

function withProgram(path: string, mode = 0o755): Project {
  const project = makeProject({ [path]: '#!/bin/sh\n' });
  chmodSync(project.at(path), mode);
  return project;
}

test.each(['local', 'project', 'user'] as const)(
  'the agent calls holdfast as replies write it: %s',
  (scope) => {
    const { root } = makeProject({ 'node_modules/holdfast/package.json': '{}' });
    const program = '/home/ann/.claude/holdfast/bin/holdfast.cjs';
    expect(invocationFor(scope, { node: 'node', program, root, hasShell: true })).toBe('holdfast');
  },
);

describe('without a shell that runs the script of the hooks, for one user', () => {
  test.each(['local', 'user'] as const)('%s: the copy that stays', (scope) => {
    const { root } = makeProject({ 'node_modules/holdfast/package.json': '{}' });
    const program = '/home/ann/.claude/holdfast/bin/holdfast.cjs';
    expect(invocationFor(scope, { node: 'node', program, root, hasShell: false })).toBe(
      `node ${program}`,
    );
    const node = '/opt/my node/bin/node';
    expect(invocationFor(scope, { node, program, root, hasShell: false })).toBe(
      `'${node}' ${program}`,
    );
  });

  test.each([
    ['/x y/holdfast.cjs'],
    ["/it's/holdfast.cjs"],
    ['/$HOME/`x`/"y"/*/holdfast.cjs'],
    ['C:\\Users\\Ann Smith\\.claude\\holdfast\\bin\\holdfast.cjs'],
    ['/ünï/holdfast.cjs'],
    ['/a;b&c/holdfast.cjs'],
  ])('the path is one word to the shell: %s', (path) => {
    const { root } = makeProject();
    const words = invocationFor('local', { node: 'node', program: path, root, hasShell: false });
    const line = words.replace(/^node /, 'printf %s ');
    expect(spawnSync('sh', ['-c', line], { encoding: 'utf8' }).stdout).toBe(path);
  });
});

describe('the command line that calls holdfast in shared settings', () => {
  const options = { node: 'node', program: '/home/ann/holdfast.cjs' };

  test('through npx if it is a dependency', () => {
    const { root } = makeProject({ 'node_modules/holdfast/package.json': '{}' });
    expect(invocationFor('project', { ...options, root, hasShell: false })).toBe('npx holdfast');
  });

  test('else by its name: no path of one machine is committed', () => {
    const { root } = makeProject();
    expect(invocationFor('project', { ...options, root, hasShell: false })).toBe('holdfast');
  });
});

describe('a shell finds a program', () => {
  test('in any folder of the search path', () => {
    const { at } = withProgram('bin/holdfast');
    expect(isOnPath('holdfast', ['', at('none'), at('bin')].join(delimiter))).toBe(true);
  });

  test.each([['node_modules/.bin/holdfast'], ['_npx/0123/bin/holdfast']])(
    'and not from the folder that npm adds while running a script: %s',
    (path) => {
      const { at } = withProgram(path);
      expect(isOnPath('holdfast', at(path.replace(/\/holdfast$/, '')))).toBe(false);
    },
  );

  test('and not if it is not executable or is a folder', () => {
    expect(isOnPath('holdfast', withProgram('holdfast', 0o644).root)).toBe(false);
    expect(isOnPath('holdfast', makeProject({ 'holdfast/file': '' }).root)).toBe(false);
  });

  test('and not in the working folder, for want of a search path', () => {
    expect(isOnPath('node_modules/.bin/vitest', '')).toBe(false);
    expect(isOnPath('node', undefined)).toBe(false);
  });
});
