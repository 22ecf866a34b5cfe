import { expect, it } from 'vitest';
import { browserCommand } from '../../../src/commands/ui/open-browser.ts';

it.each([
  ['darwin', {}, ['open']],
  ['win32', {}, ['rundll32', 'url.dll,FileProtocolHandler']],
  ['linux', { DISPLAY: ':0' }, ['xdg-open']],
  ['linux', { WSL_DISTRO_NAME: 'Debian' }, ['wslview']],
  ['linux', { BROWSER: '/usr/bin/firefox' }, ['/usr/bin/firefox']],
  ['linux', { BROWSER: 'firefox:chromium', DISPLAY: ':0' }, ['xdg-open']],
  ['linux', {}, null],
  // The browser of the user cannot read a file of this machine.
  ['linux', { DISPLAY: ':0', SSH_CONNECTION: '1 2 3 4' }, null],
  [
    'linux',
    { BROWSER: '/opt/editor/browser.sh', VSCODE_IPC_HOOK_CLI: '/tmp/x.sock' },
    null,
  ],
] as const)(
  'on %s with %j a file is opened by %j',
  (platform, environment, command) => {
    expect(browserCommand(platform, environment)).toEqual(command);
  },
);
