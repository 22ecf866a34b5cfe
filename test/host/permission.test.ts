import { existsSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, it, type TestContext } from 'vitest';
import {
  CLIENT_VERSIONS,
  ONE_VERSION,
  type ClientVersion,
} from './support/client.ts';
import { given } from './support/given.ts';
import { openHost } from './support/holdfast.ts';
import type { Host } from './support/host.ts';
import { fromPackage, type Package, unpackPackage } from './support/package.ts';
import { readRun, stateFiles } from '../support/state.ts';
import { waitFor } from './support/wait.ts';

let unpacked: Package;
beforeAll(async () => {
  unpacked = await unpackPackage();
}, 120_000);
afterAll(() => unpacked.remove());

/** Nothing is allowed but what holdfast allows. */
const BARE = {
  files: { '.claude/settings.json': {} },
  tools: ['Read'],
  git: true,
};

type Installed = { host: Host; plugin: string[] };

async function installed(
  version: ClientVersion,
  context: TestContext,
  way: string,
): Promise<Installed> {
  const host = await openHost(version, context, BARE);
  if (way === 'init')
    await fromPackage(unpacked, host, ['init', '--scope', 'user']);
  return {
    host,
    plugin: way === 'plugin' ? ['--plugin-dir', unpacked.folder] : [],
  };
}

interface Calls {
  sessionId: string;
  /** The commands that the client denied, because nobody can be asked in print mode. */
  denied: string[];
  /** What the model was given in the end. */
  told: string;
}

/** The agent calls these one after the other in the default mode. */
async function call(
  { host, plugin }: Installed,
  commands: readonly string[],
  options: { resume?: string } = {},
): Promise<Calls> {
  const prompt = commands.map((command) => `DO:BASH ${command}`).join(' THEN ');
  const args = [...plugin, '--permission-mode', 'default'];
  const { stdout, sessionId } = await host.print(prompt, { ...options, args });
  const {
    permission_denials: denials,
  }: { permission_denials: { tool_input: { command: string } }[] } =
    JSON.parse(stdout);
  const denied = denials.map(({ tool_input: input }) => input.command);
  return { sessionId, denied, told: given(host.model.turns().at(-1)) };
}

/** What a run's state file says: its phase, and the session that holds it. */
function stored(
  host: Host,
  workflow: string,
): { phase: number; holder: string | null } {
  const { root } = host.project;
  const run = stateFiles(root)
    .map((path) => readRun(root, path))
    .find((state) => state.workflow === workflow);
  if (run === undefined) throw new Error(`no run of ${workflow}`);
  return {
    phase: run.phase.current,
    holder: run.sessions?.current_session_id ?? null,
  };
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

describe.each(CLIENT_VERSIONS)(
  'client %s, with a rule for every command',
  (version) => {
    it('still asks for those of a person, whatever they stand behind', async (context) => {
      const { expect } = context;
      const asked = [
        'holdfast takeover checkout',
        'timeout 5 holdfast takeover checkout',
        'env -i holdfast approve checkout',
        'sh -c "holdfast takeover checkout"',
        'hold""fast takeover checkout',
        'flock lock holdfast takeover checkout',
        "script -qc 'holdfast --session s1 note x' /dev/null",
        'echo "$(holdfast takeover checkout)"',
        'npx holdfast takeover checkout',
        '/opt/bin/holdfast takeover checkout',
        'node /opt/bin/holdfast.cjs approve checkout',
        'h=holdfast; $h takeover checkout',
        'find . -name x -exec holdfast takeover checkout \\;',
      ];
      const there = await installed(version, context, 'plugin');
      const prompt = [...asked, 'echo "the holdfast status" > written']
        .map((command) => `DO:BASH ${command}`)
        .join(' THEN ');
      const { stdout } = await there.host.print(prompt, {
        args: [...there.plugin, '--allowedTools', 'Bash'],
      });
      const reply: {
        permission_denials: { tool_input: { command: string } }[];
      } = JSON.parse(stdout);
      const denied = reply.permission_denials.map(
        ({ tool_input: input }) => input.command,
      );
      expect(denied).toEqual(asked);
      expect(existsSync(there.host.project.path('written'))).toBe(true);
    });
  },
);

describe.each(ONE_VERSION)('client %s', (version) => {
  it('leaves a third run alone when the agent whose run another one took goes on', async (context) => {
    const { expect } = context;
    const there = await installed(version, context, 'plugin');
    const { host, plugin } = there;
    await fromPackage(unpacked, host, ['start', 'Third', '--phases', 'A,B']);
    const a = await call(there, [
      'holdfast start Auth --phases "Design,Build"',
    ]);
    const b = host.print(
      'DO:BASH holdfast resume auth THEN DO:BASH until [ -e done ]; do sleep 0.1; done',
      {
        args: [
          ...plugin,
          '--permission-mode',
          'default',
          '--allowedTools',
          'Bash',
        ],
      },
    );
    const holder = await waitFor(
      'b to hold the run',
      () => {
        const { holder: now } = stored(host, 'Auth');
        return now !== null && now !== a.sessionId && now;
      },
      () => fromPackage(unpacked, host, ['list', '--all']),
    );

    const { denied, told } = await call(
      there,
      [
        'holdfast advance --output "auth design done"',
        'holdfast advance auth --output "done"',
      ],
      { resume: a.sessionId },
    );
    writeFileSync(host.project.path('done'), '');
    expect((await b).sessionId).toBe(holder);

    expect(denied).toEqual([]);
    expect(told).toMatch(/session \w{8} took Auth/);
    expect(told).toContain('holdfast advance third');
    expect(told).not.toContain('--force');
    expect(told).not.toContain('takeover');
    expect(stored(host, 'Auth')).toEqual({ phase: 1, holder });
    expect(stored(host, 'Third')).toEqual({ phase: 1, holder: null });
  });
});
