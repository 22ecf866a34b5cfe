import { chmodSync } from 'node:fs';
import { delimiter } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findOnPath } from '../../../src/files/is-executable.ts';
import { makeProject, type Project } from '../../support/project.ts';

function withProgram(path: string): Project {
  const project = makeProject({ [path]: '#!/bin/sh\n' });
  chmodSync(project.at(path), 0o755);
  return project;
}

describe('a shell finds a program', () => {
  test('in any folder of the search path', () => {
    const { at } = withProgram('bin/holdfast');
    expect(
      findOnPath('holdfast', ['', at('none'), at('bin')].join(delimiter)),
    ).toBe(at('bin/holdfast'));
  });

  test.each([['node_modules/.bin/holdfast'], ['_npx/0123/bin/holdfast']])(
    'and not from the folder that npm adds while running a script: %s',
    (path) => {
      const { at } = withProgram(path);
      expect(
        findOnPath('holdfast', at(path.replace(/\/holdfast$/, ''))),
      ).toBeNull();
    },
  );

  test('and not in the working folder, for want of a search path', () => {
    expect(findOnPath('node_modules/.bin/vitest', '')).toBeNull();
    expect(findOnPath('node', undefined)).toBeNull();
  });
});
