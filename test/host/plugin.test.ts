import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { onlyRun } from '../support/state.ts';
import { CLIENT_VERSIONS } from './support/client.ts';
import { given, restoredIn } from './support/given.ts';
import { openHost } from './support/holdfast.ts';
import type { Host } from './support/host.ts';
import type { Answer } from './support/model.ts';
import {
  client,
  fromPackage,
  type Package,
  unpackPackage,
} from './support/package.ts';
import type { ToolCall } from './support/reply.ts';
import { isTurn, lastPrompt } from './support/request.ts';
import { obey } from './support/script.ts';

let unpacked: Package;
beforeAll(async () => {
  unpacked = await unpackPackage();
});
afterAll(() => unpacked.remove());

/** Nothing is wired in the project, and no command is allowed that a plugin has not asked for. */
const BARE = {
  files: { '.claude/settings.json': {} },
  tools: ['Read', 'Skill'],
  git: true,
};

/** 2.1.197 does not know `engines`, and says itself that it is safe to keep: nothing else may be wrong. */
const WARNINGS = {
  '2.1.197': ['Found 1 warning', "Unknown field 'engines'"],
  '2.1.325': [],
};
const STRICT = { '2.1.197': [], '2.1.325': ['--strict'] };

describe.each(CLIENT_VERSIONS)('client %s', (version) => {
  it('finds nothing wrong with the package as a plugin', async (context) => {
    const host = await openHost(version, context, BARE);
    for (const path of ['.', '.claude-plugin/plugin.json']) {
      const words = [
        'plugin',
        'validate',
        ...STRICT[version],
        join(unpacked.folder, path),
      ];
      const told = await client(version, host, words);
      context.expect(told).toContain('Validation passed');
      context
        .expect(
          told.match(/Found \d+ (?:error|warning)|Unknown field '\w+'/g) ?? [],
        )
        .toEqual(WARNINGS[version]);
    }
  });

  it('starts a workflow by slash command, restores it after a compaction, and completes it', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context, BARE);
    const args = [
      '--plugin-dir',
      unpacked.folder,
      '--permission-mode',
      'default',
    ];
    const foreign = `node -e "require('fs').writeFileSync('foreign', '')"`;
    host.model.answerWith(
      acting((words) => [
        shell(
          `${commandIn(words, 'start "<name>"', FILLED)} --read docs/RULES.md`,
        ),
        shell(foreign),
      ]),
    );
    const { sessionId } = await host.print('/holdfast:start Checkout', {
      args,
    });

    expect(onlyRun(host.project.root)).toMatchObject({
      workflow: 'Checkout',
      phases: ['A', 'B'],
      sessions: { current_session_id: sessionId },
    });
    expect(given(host.model.turns().at(-1))).toContain('requires approval');
    expect(existsSync(host.project.path('foreign'))).toBe(false);

    host.model.answerWith(obey);
    const prompts = ['/compact', 'go on', '/holdfast:status'];
    await host.print(prompts, { resume: sessionId, args });
    expect(restoredIn(host.model.turns().at(-1))).toEqual([
      'Checkout, Phase 1/2',
    ]);
    expect(onlyRun(host.project.root).context_metadata?.compaction_count).toBe(
      1,
    );
    expect(given(host.model.turns().at(-1))).toMatch(
      /Checkout\s+Phase +1\/2 A \(in progress\)/,
    );

    host.model.answerWith(
      acting((words) => [shell(commandIn(words, 'complete'))]),
    );
    await host.print('/holdfast:complete', { resume: sessionId, args });
    expect(archived(host)).toMatchObject([
      { workflow: 'Checkout', status: 'completed' },
    ]);
  });

  it('has `holdfast` in its shell, lists the skill in few words, and no slash command', async (context) => {
    const { expect } = context;
    const allow = ['Bash(holdfast --version)'];
    const host = await openHost(version, context, { ...BARE, allow });
    host.model.answerWith(acting(() => [shell('holdfast --version')]));
    await host.print('which holdfast is it?', {
      args: ['--plugin-dir', unpacked.folder],
    });
    expect(given(host.model.turns().at(-1))).toContain(
      `runs from ${unpacked.folder}`,
    );
    const ours = given(host.model.turns()[0])
      .split('\n')
      .filter((line) => line.startsWith('- holdfast'));
    expect(ours).toHaveLength(1);
    expect(ours.join('').length).toBeLessThan(1500);
  });

  it('has a model that follows the words of the skill alone to the end of a workflow', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context, BARE);
    const args = [
      '--plugin-dir',
      unpacked.folder,
      '--permission-mode',
      'default',
    ];
    host.model.answerWith(
      acting((words) => [
        { name: 'Skill', input: { skill: skillIn(words) } },
        ...(words.includes('# holdfast')
          ? [
              shell(commandIn(words, 'start "<name>"', FILLED)),
              shell(commandIn(words, 'status')),
              shell(
                commandIn(words, 'advance --output', { ...FILLED, ...FIRST }),
              ),
              shell(
                commandIn(words, 'advance --output', { ...FILLED, ...SECOND }),
              ),
            ]
          : []),
      ]),
    );

    await host.print('Build the checkout: first A, then B.', { args });

    expect(given(host.model.turns()[0])).not.toContain('advance --output');
    expect(archived(host)).toMatchObject([
      {
        workflow: 'Checkout',
        status: 'completed',
        phase: { current: 2, total: 2 },
      },
    ]);
    expect(JSON.stringify(archived(host))).toContain('A is in a.ts');
  });

  it('once it has the plugin for good, needs nothing else of init, and adds the MCP server by one command', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context, BARE);
    await client(version, host, [
      'plugin',
      'marketplace',
      'add',
      unpacked.folder,
    ]);
    await client(version, host, ['plugin', 'install', 'holdfast@holdfast']);

    await fromPackage(unpacked, host, ['init']);
    expect(existsSync(host.project.path('.claude/skills'))).toBe(false);
    await fromPackage(unpacked, host, ['uninstall']);
    expect(
      await fromPackage(unpacked, host, ['doctor', '--verbose']),
    ).toContain('plugin holdfast@holdfast: SessionStart, PreCompact');

    await host.print('/holdfast:mcp');
    await host.print('hello');
    const tools = (host.model.turns().at(-1)?.tools ?? []).map(
      ({ name }) => name,
    );
    const told = given(host.model.turns().at(-1));
    expect([...tools, told].join('\n')).toContain(
      'mcp__holdfast__workflow_status',
    );
    expect(existsSync(host.project.path('.claude/commands'))).toBe(false);

    await fromPackage(unpacked, host, ['uninstall', '--scope', 'user']);
    await client(version, host, ['plugin', 'uninstall', 'holdfast@holdfast']);
    const known = readFileSync(join(host.home.path, '.claude.json'), 'utf8');
    expect(known).not.toContain('holdfast/bin/holdfast.cjs');
    // What is known of sessions and projects stays while the plugin is there, and nothing else.
    const left = join(host.home.path, '.claude/holdfast');
    const others = existsSync(left) ? readdirSync(left) : [];
    expect(
      others.filter((name) => name !== 'sessions' && name !== 'projects'),
    ).toEqual([]);
    expect(await host.project.git('status', '--porcelain')).toBe('');
  });
});

/** The tools that a model calls one after the other, chosen by what it has been given to read. */
function acting(plan: (words: string) => readonly ToolCall[]): Answer {
  return (request) => {
    if (!isTurn(request)) return obey(request);
    const asked = request.messages.filter(
      ({ role }) => role === 'assistant',
    ).length;
    const before = lastPrompt(request).text.startsWith('Base directory')
      ? asked
      : undefined;
    const next = plan(given(request))[before ?? lastPrompt(request).toolCalls];
    return next === undefined ? { text: 'DONE' } : { tools: [next] };
  };
}

const FILLED = { '<name>': 'Checkout', '<A,B,C>': 'A,B' };
const FIRST = { '<what later phases need to know>': 'A is in a.ts' };
const SECOND = { '<what later phases need to know>': 'B is in b.ts' };

/** A command as the text shows it, with what its author is to fill in. */
function commandIn(
  words: string,
  start: string,
  filled: Record<string, string> = {},
): string {
  const commands = [...words.matchAll(/`(holdfast [^`\n]*)`/g)].map(
    ([, command = '']) => command,
  );
  const found = commands.find((command) =>
    command.startsWith(`holdfast ${start}`),
  );
  if (found === undefined)
    throw new Error(`the text shows no command for ${start}\n${words}`);
  return Object.entries(filled).reduce(
    (text, [placeholder, value]) => text.replace(placeholder, value),
    found,
  );
}

function skillIn(words: string): string {
  const [, name] = /^- (\S+): Keeps multi-phase work/m.exec(words) ?? [];
  if (name === undefined) throw new Error(`the skill is not listed\n${words}`);
  return name;
}

function shell(command: string): ToolCall {
  return { name: 'Bash', input: { command, description: 'scripted' } };
}

function archived(host: Host): unknown[] {
  const folder = host.project.path('untracked/workflow-archive');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
}
