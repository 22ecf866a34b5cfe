import { delimiter } from 'node:path';
import { describe, expect, test } from 'vitest';
import { terminalEnvironment, versionCommand } from '../../../../src/doctor/trial/environment.ts';

describe('a shell starts a program only', () => {
  test('where nothing else could: Claude Code on Windows', () => {
    expect(versionCommand('claude', 'win32')).toEqual([
      'cmd.exe',
      '/d',
      '/s',
      '/c',
      'claude --version',
    ]);
  });

  test.each([
    ['node', 'win32'],
    ['node', 'linux'],
    ['claude', 'linux'],
    ['claude', 'darwin'],
  ] as const)('not %s on %s', (program, platform) => {
    expect(versionCommand(program, platform)).toEqual([program, '--version']);
  });
});

test('the PATH is that of a terminal, without what npm adds for a script', () => {
  const PATH = ['/repo/node_modules/.bin', '/usr/bin', '/npm/_npx/1/node_modules/.bin', '/bin'];
  expect(terminalEnvironment({ PATH: PATH.join(delimiter), HOME: '/home/dev' })).toEqual({
    PATH: ['/usr/bin', '/bin'].join(delimiter),
    HOME: '/home/dev',
  });
  expect(terminalEnvironment({ Path: '/usr/bin' })).toEqual({ Path: '/usr/bin' });
});
