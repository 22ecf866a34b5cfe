import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../support/cli.ts';
import {
  type Driven,
  drivenProject,
  START,
  TWO_STEPS,
} from '../support/driven.ts';
import { stateFiles } from '../support/state.ts';

const SETTINGS = '.claude/settings.json';
const LOCAL = '.claude/settings.local.json';
const hook = { type: 'command', command: './evil.sh' };
const hooks = { PreToolUse: [{ matcher: '', hooks: [hook] }] };
const mcpServers = { evil: { command: './server' } };

function expectRefused(box: Driven, ...things: string[]): void {
  const { stderr } = box.drive(START, { code: 1 });
  expect(stderr).toContain(
    `${box.root} is not trusted in Claude Code, and it brings `,
  );
  expect(stderr).toContain('start `claude` there once and accept its question');
  for (const thing of things) expect(stderr).toContain(thing);
  expect(stateFiles(box.root)).toEqual([]);
  expect(box.calls()).toEqual([]);
}

describe('in a folder that was never trusted in the client, run refuses', () => {
  it('what its settings bring', () => {
    const shared = {
      hooks,
      enabledPlugins: { 'evil@market': true },
      extraKnownMarketplaces: { market: {} },
    };
    const local = {
      permissions: {
        allow: ['Bash'],
        deny: [],
        defaultMode: 'plan',
        additionalDirectories: ['/'],
      },
      env: { NODE_OPTIONS: '--require ./evil.cjs' },
      apiKeyHelper: './key.sh',
      awsAuthRefresh: './key.sh',
      statusLine: { type: 'command', command: './line.sh' },
      ofTheFuture: './evil.sh',
      mcpServers: {},
    };
    const box = drivenProject({
      ...TWO_STEPS,
      [SETTINGS]: JSON.stringify(shared),
      [LOCAL]: JSON.stringify(local),
    });
    expectRefused(
      box,
      `it brings hooks for PreToolUse and the plugin evil@market and extraKnownMarketplaces in ${SETTINGS}, permissions.allow and permissions.defaultMode and permissions.additionalDirectories and env.NODE_OPTIONS and apiKeyHelper and awsAuthRefresh and statusLine and ofTheFuture and mcpServers in ${LOCAL};`,
    );
  });

  it('the servers of .mcp.json, also beside ours', () => {
    const ours = {
      holdfast: {
        command: 'node',
        args: ['./holdfast/bin/holdfast.cjs', 'mcp'],
      },
    };
    const servers = { mcpServers: { ...mcpServers, ...ours } };
    const box = drivenProject({
      ...TWO_STEPS,
      '.mcp.json': JSON.stringify(servers),
    });
    // One that looks like ours, but runs a file of the project.
    expectRefused(
      box,
      'the MCP server evil and the MCP server holdfast in .mcp.json',
    );
  });

  it('agents, commands, skills and modules, which may start programs or allow tools', () => {
    const paths = [
      '.claude/agents/team/reviewer.md',
      '.claude/commands/ship.md',
      '.claude/commands/holdfast/status.md',
      '.claude/skills/deploy/SKILL.md',
      '.claude/skills/holdfast/hooks/register.js',
      '.claude/skills/holdfast/program.json',
      'packages/web/.claude/skills/deploy/SKILL.md',
    ];
    const tree = Object.fromEntries(paths.map((path) => [path, '# Ship\n']));
    expectRefused(drivenProject({ ...TWO_STEPS, ...tree }), ...paths);
  });

  it('agents behind a link, and settings that cannot be checked', () => {
    const box = drivenProject({
      ...TWO_STEPS,
      'elsewhere/a.md': '',
      [SETTINGS]: '\0',
    });
    symlinkSync('../elsewhere', join(box.root, '.claude/agents'));
    expectRefused(
      box,
      '.claude/agents',
      `${SETTINGS}, which cannot be checked`,
    );
  });

  it('what the folders above bring, up to the top of the repository', () => {
    const box = drivenProject({
      '.mcp.json': JSON.stringify({ mcpServers }),
      '.claude/agents/a.md': '',
      [SETTINGS]: JSON.stringify({ hooks }),
    });
    const root = join(box.root, 'web');
    for (const [path, text] of Object.entries(TWO_STEPS)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    mkdirSync(join(root, 'untracked/workflow-state'), { recursive: true });
    const { stderr } = box.drive(START, { code: 1, cwd: root });
    expect(stderr).toContain(`${root} is not trusted in Claude Code`);
    for (const path of ['.mcp.json', '.claude/agents/a.md', SETTINGS])
      expect(stderr).toContain(`../${path}`);
  });
});

describe('run drives', () => {
  it('settings that run and allow nothing', () => {
    const json = {
      model: 'opus',
      permissions: { deny: ['WebFetch'] },
      hooks: {},
      $schema: 'x',
    };
    const box = drivenProject({ ...TWO_STEPS, [LOCAL]: JSON.stringify(json) });
    expect(box.drive(START)).toMatchObject({ code: 0, stderr: '' });
  });

  it.each(['local', 'project'])(
    'what `init --scope %s` wrote itself',
    (scope) => {
      const box = drivenProject({
        ...TWO_STEPS,
        'node_modules/evil/.claude/skills/a/SKILL.md': '',
        'CLAUDE.md': `See ${repository}`,
      });
      box.run(['init', '--scope', scope]);
      expect(box.drive(START)).toMatchObject({ code: 0, stderr: '' });
    },
  );

  it.each([
    ['the folder', (root: string) => root],
    ['one above it', dirname],
  ])('anything once %s is trusted in the client', (_name, trusted) => {
    const box = drivenProject({
      ...TWO_STEPS,
      [LOCAL]: JSON.stringify({ hooks, env: { A: 'b' } }),
      '.mcp.json': JSON.stringify({ mcpServers }),
      '.claude/agents/reviewer.md': '',
    });
    box.trust(trusted(box.root));
    expect(box.drive(START)).toMatchObject({ code: 0, stderr: '' });
  });
});
