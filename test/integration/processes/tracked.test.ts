import { chmodSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isTracked, trackedIn } from '../../../src/install/plan/tracked.ts';
import { makeRepository } from '../../support/repository.ts';

test('git tells which files it tracks', () => {
  const project = makeRepository({ 'a/one': '', 'a/b/two': '', 'a/[x]*': '' });
  project.git('add', '.');
  project.write('a/three', '');
  expect(trackedIn(project.at('a')).toSorted()).toEqual(['[x]*', 'b/two', 'one']);
  expect(
    ['a/one', 'a/three', 'a/[x]*', 'a/*', 'none/x'].map((path) => isTracked(project.at(path))),
  ).toEqual([true, false, true, false, false]);
  rmSync(project.at('a'), { recursive: true });
  expect(trackedIn(project.at('a/b'))).toEqual(['two']);
});

test('a repository is not executed for being asked', () => {
  const project = makeRepository({ 'evil.sh': '' });
  project.write('evil.sh', `#!/bin/sh\ntouch ${project.at('executed')}\n`);
  chmodSync(project.at('evil.sh'), 0o755);
  project.git('add', '.');
  project.git('config', 'core.fsmonitor', project.at('evil.sh'));
  expect(isTracked(project.at('evil.sh'))).toBe(true);
  expect(project.exists('executed')).toBe(false);
});
