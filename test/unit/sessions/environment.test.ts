import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  bootId,
  checkoutOf,
  environmentOf,
  withProjectRoot,
} from '../../../src/sessions/client-process.ts';
import { makeProject } from '../../support/project.ts';

/** Where the system tells none, none is recorded. */
const BOOT = bootId() === null ? {} : { boot: bootId() };
const COMMIT = '0123456789abcdef0123456789abcdef01234567';

test('a session is recorded with its machine and its start, its folder and the commit', () => {
  const { root } = makeProject({ '.git/HEAD': `${COMMIT}\n` });
  expect(environmentOf(root, join(root, 'packages', 'api'), null, {})).toEqual({
    hostname: hostname(),
    platform: process.platform,
    cwd: '{project_root}/packages/api',
    checkout: checkoutOf(root),
    ...BOOT,
    git_commit: COMMIT,
  });
});

test('a checkout is told from another without its path', () => {
  expect(checkoutOf('/home/dev/app')).toBe(checkoutOf('/home/dev/app'));
  expect(checkoutOf('/home/dev/app')).not.toBe(checkoutOf('/home/dev/app2'));
  expect(checkoutOf('/home/dev/app')).toMatch(/^[0-9a-f]+$/);
});

test('a project without git has no commit', () => {
  const { root } = makeProject();
  expect(Object.keys(environmentOf(root, root, null, {}))).toEqual([
    'hostname',
    'platform',
    'cwd',
    'checkout',
    ...Object.keys(BOOT),
  ]);
});

test.each([
  ['/home/dev/app', '{project_root}'],
  ['/home/dev/app/src/x', '{project_root}/src/x'],
  ['/home/dev/app/..data', '{project_root}/..data'],
  ['/home/dev/apple', '/home/dev/apple'],
  ['/work', '/work'],
  ['/elsewhere', '/elsewhere'],
])('%s in /home/dev/app is %s', (path, told) => {
  expect(withProjectRoot('/home/dev/app', path)).toBe(told);
});
