import { readFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { onlyRun } from '../support/state.ts';
import { ONE_VERSION } from './support/client.ts';
import { doHoldfast, holdfast, openHost } from './support/holdfast.ts';

/** Bash is not among the tools: print mode refuses each command for which the client would ask. */
const ASKING = {
  files: { '.claude/settings.json': {} },
  git: true,
  tools: ['Read'],
};
const DEFAULT_MODE = { args: ['--permission-mode', 'default'] };
const OWN_LINE = {
  statusLine: { type: 'command', command: `echo "MY-OWN-LINE of $(wc -l)"` },
};

describe.each(ONE_VERSION)('client %s', (version) => {
  // permission.test.ts has scope user.
  for (const scope of ['local', 'project'] as const)
    it(`after init in scope ${scope} moves a run without a question, and asks for all else`, async (context) => {
      const { expect } = context;
      const host = await openHost(version, context, ASKING);
      await holdfast(host, ['init', '--scope', scope]);
      const skill = readFileSync(
        host.project.path('.claude/skills/holdfast/SKILL.md'),
        'utf8',
      );
      expect(skill).toContain('`holdfast advance ');

      // Only the user switches the autopilot: by a slash command, or by an answer to the client's question.
      const asked = [
        '--cwd /tmp status',
        'run',
        'complete --purge',
        'autopilot ask',
      ];
      const words = ['start Checkout --phases A,B', 'status', ...asked];
      const { sessionId, stdout } = await host.print(
        words.map((call) => `DO:BASH holdfast ${call}`).join(' THEN '),
        DEFAULT_MODE,
      );
      const denied: { tool_input: { command: string } }[] =
        JSON.parse(stdout).permission_denials;
      expect(denied.map(({ tool_input: { command } }) => command)).toEqual(
        asked.map((call) => `holdfast ${call}`),
      );
      expect(onlyRun(host.project.root).phase).toMatchObject({
        current: 1,
        name: 'A',
      });
      expect(onlyRun(host.project.root).perform).toBeUndefined();
      await host.print('/holdfast:ask', { ...DEFAULT_MODE, resume: sessionId });
      expect(onlyRun(host.project.root).perform).toBe('ask');
    });

  it('shows the status line of the user and then ours, and after an uninstall only theirs', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context, {
      files: { '.claude/settings.json': {} },
      homeFiles: { '.claude/settings.json': OWN_LINE },
      git: true,
    });
    await holdfast(host, ['init', '--statusline']);
    const terminal = await host.terminal();
    await terminal.say(
      doHoldfast('start', 'Checkout', '--phases', 'Design,Build'),
    );
    const screen = await terminal.until('both lines', async () => {
      const text = await terminal.screen();
      return /MY-OWN-LINE of 1\b[^]*▸ Checkout · Design 1\/2/.test(text)
        ? text
        : undefined;
    });
    expect(screen).toContain('▸ Checkout · Design 1/2');
    await terminal.quit();

    await holdfast(host, ['uninstall']);
    const next = await host.terminal();
    await next.until('the own line', async () =>
      (await next.screen()).includes('MY-OWN-LINE'),
    );
    expect(await next.screen()).not.toContain('▸ Checkout');
    await next.quit();
  });
});
