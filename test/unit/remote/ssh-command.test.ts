import { expect, it } from 'vitest';
import { batchSshCommand, type SshSettings } from '../../../src/remote/ssh-command.ts';

const NONE: SshSettings = { command: undefined, program: undefined, configured: undefined };

it.each<[why: string, settings: Partial<SshSettings>, expected: string | undefined]>([
  ['by default', {}, 'ssh -o BatchMode=yes'],
  ['with a key', { configured: 'ssh -i ~/.ssh/shop' }, 'ssh -i ~/.ssh/shop -o BatchMode=yes'],
  [
    'the environment before the configuration',
    { command: '/usr/bin/ssh -4', configured: 'ssh -6' },
    '/usr/bin/ssh -4 -o BatchMode=yes',
  ],
  [
    'a path with spaces',
    { configured: '"C:\\Program Files\\OpenSSH\\ssh.exe" -v' },
    '"C:\\Program Files\\OpenSSH\\ssh.exe" -v -o BatchMode=yes',
  ],
  ['another program', { configured: 'plink -ssh' }, undefined],
  ['a wrapper', { command: '/opt/my-ssh' }, undefined],
  ['GIT_SSH', { program: '/opt/tunnel' }, undefined],
  [
    'GIT_SSH with a command, which counts',
    { program: '/opt/x', command: 'ssh' },
    'ssh -o BatchMode=yes',
  ],
])('ssh never asks anybody: %s', (_why, settings, expected) => {
  expect(batchSshCommand({ ...NONE, ...settings })).toBe(expected);
});
