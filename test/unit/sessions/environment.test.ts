import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  bootId,
  checkoutOf,
  environmentOf,
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
