import { chmodSync } from 'node:fs';
import { delimiter } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isOnPath } from '../../../src/install/host-commands.ts';
import { makeProject, type Project } from '../../support/project.ts';

function withProgram(path: string): Project {
  const project = makeProject({ [path]: '#!/bin/sh\n' });
  chmodSync(project.at(path), 0o755);
  return project;
}

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

  test('and not in the working folder, for want of a search path', () => {
    expect(isOnPath('node_modules/.bin/vitest', '')).toBe(false);
    expect(isOnPath('node', undefined)).toBe(false);
  });
});
