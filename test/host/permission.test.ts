import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, it, type TestContext } from 'vitest';
import { CLIENT_VERSIONS, type ClientVersion } from './support/client.ts';
import { given } from './support/given.ts';
import { openHost } from './support/holdfast.ts';
import type { Host } from './support/host.ts';
import { fromPackage, type Package, unpackPackage } from './support/package.ts';

let unpacked: Package;
beforeAll(async () => {
  unpacked = await unpackPackage();
}, 120_000);
afterAll(() => unpacked.remove());

/** Nothing is allowed but what holdfast allows. */
const BARE = { files: { '.claude/settings.json': {} }, tools: ['Read'], git: true };

interface Installed {
  host: Host;
  plugin: string[];
}

async function installed(
  version: ClientVersion,
  context: TestContext,
  way: string,
): Promise<Installed> {
  const host = await openHost(version, context, BARE);
  if (way === 'init') await fromPackage(unpacked, host, ['init', '--scope', 'user']);
  return { host, plugin: way === 'plugin' ? ['--plugin-dir', unpacked.folder] : [] };
}

interface Calls {
  /** The commands that the client denied, because nobody can be asked in print mode. */
  denied: string[];
  /** What the model was given in the end. */
  told: string;
}

/** The agent calls these one after the other in the default mode. */
async function call({ host, plugin }: Installed, commands: readonly string[]): Promise<Calls> {
  const prompt = commands.map((command) => `DO:BASH ${command}`).join(' THEN ');
  const args = [...plugin, '--permission-mode', 'default'];
  const { stdout } = await host.print(prompt, { args });
  const {
    permission_denials: denials,
  }: { permission_denials: { tool_input: { command: string } }[] } = JSON.parse(stdout);
  const denied = denials.map(({ tool_input: input }) => input.command);
  return { denied, told: given(host.model.turns().at(-1)) };
}

describe.each(CLIENT_VERSIONS)('client %s', (version) => {
  describe.each(['init', 'plugin'])('with holdfast by %s', (way) => {
    it('runs the calls of an agent, asks for those of a person, and decides itself about the rest', async (context) => {
      const { expect } = context;
      const asked = [
        'holdfast cancel checkout --reason x',
        'holdfast resume checkout --force',
        'holdfast status --cwd /tmp',
        'holdfast status && touch foreign',
      ];
      const there = await installed(version, context, way);
      const { host } = there;
      const { denied, told } = await call(there, [
        'holdfast start "Checkout" --phases "A,B"',
        'holdfast status',
        ...asked,
      ]);
      expect(denied).toEqual(asked);
      expect(told).toMatch(/Checkout\s+Phase +1\/2 A \(in progress\)/);
      expect(told).toContain('holdfast leaves this to the user');
      expect(existsSync(host.project.path('foreign'))).toBe(false);
    });
  });
});
