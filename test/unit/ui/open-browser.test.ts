import { expect, it } from 'vitest';
import { browserCommand } from '../../../src/ui/open-browser.ts';

it.each([
  ['darwin', {}, ['open']],
  ['win32', {}, ['rundll32', 'url.dll,FileProtocolHandler']],
  ['linux', { DISPLAY: ':0' }, ['xdg-open']],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, ['xdg-open']],
  ['linux', { WSL_DISTRO_NAME: 'Debian' }, ['wslview']],
  // Editors that run elsewhere.
  [
    'linux',
    { BROWSER: '/opt/editor/browser.sh', SSH_CONNECTION: '1 2 3 4' },
    ['/opt/editor/browser.sh'],
  ],
] as const)('on %s with %j a browser is opened by %j', (platform, environment, command) => {
  expect(browserCommand(platform, environment)).toEqual(command);
});

it.each([
  ['linux', {}],
  ['linux', { DISPLAY: '' }],
  ['linux', { DISPLAY: ':0', SSH_CONNECTION: '1 2 3 4' }],
  ['darwin', { SSH_CONNECTION: '1 2 3 4' }],
] as const)('on %s with %j there is no browser to open', (platform, environment) => {
  expect(browserCommand(platform, environment)).toBeNull();
});

it('a list of browsers or a command line in BROWSER is left to the system', () => {
  expect(browserCommand('linux', { BROWSER: 'firefox:chromium', DISPLAY: ':0' })).toEqual([
    'xdg-open',
  ]);
  expect(browserCommand('linux', { BROWSER: 'firefox %s', DISPLAY: ':0' })).toEqual(['xdg-open']);
});
