import { expect, test } from 'vitest';
import { isOurServer, portableServer } from '../../../src/install/host-commands.ts';

test.each([
  [{ command: 'node', args: ['/home/dev/.claude/holdfast/bin/holdfast.cjs', 'mcp'] }, true],
  [
    { command: 'node', args: ['C:\\Users\\dev\\.claude\\holdfast\\bin\\holdfast.cjs', 'mcp'] },
    true,
  ],
  [portableServer(), true],
  [{ command: 'holdfast', args: ['mcp'] }, false],
  [{ command: 'npx', args: ['-y', 'holdfast', 'mcp'] }, false],
  [{ command: 'node', args: ['/x/holdfast/bin/holdfast.cjs', 'mcp', '--cwd', '/y'] }, false],
  [{ type: 'http', url: 'https://example.invalid' }, false],
  [null, false],
])('%j is written by init: %s', (entry, isOurs) => {
  expect(isOurServer(entry)).toBe(isOurs);
});
