import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../support/cli.ts';
import { type Driven, drivenProject, START, TWO_STEPS } from '../support/driven.ts';
import { stateFiles } from '../support/state.ts';

const SETTINGS = '.claude/settings.json';
const LOCAL = '.claude/settings.local.json';
const hook = { type: 'command', command: './evil.sh' };
const hooks = { PreToolUse: [{ matcher: '', hooks: [hook] }] };
const mcpServers = { evil: { command: './server' } };

function expectRefused(box: Driven, ...things: string[]): void {
  const { stderr } = box.drive(START, { code: 1 });
  expect(stderr).toContain(`${box.root} is not trusted in Claude Code, and it brings `);
  expect(stderr).toContain('start `claude` there once and accept its question');
  for (const thing of things) expect(stderr).toContain(thing);
  expect(stateFiles(box.root)).toEqual([]);
  expect(box.calls()).toEqual([]);
}

describe('in a folder that was never trusted in the client, run refuses', () => {
  it.each<[string, object, string]>([
    [SETTINGS, { hooks }, 'hooks for PreToolUse'],
    [SETTINGS, { enabledPlugins: { 'evil@market': true } }, 'the plugin evil@market'],
    [SETTINGS, { extraKnownMarketplaces: { market: {} } }, 'extraKnownMarketplaces'],
    [LOCAL, { permissions: { allow: ['Bash'] } }, 'permissions.allow'],
    [LOCAL, { permissions: { deny: [], defaultMode: 'plan' } }, 'permissions.defaultMode'],
    [LOCAL, { permissions: { additionalDirectories: ['/'] } }, 'permissions.additionalDirectories'],
    [LOCAL, { env: { NODE_OPTIONS: '--require ./evil.cjs' } }, 'env.NODE_OPTIONS'],
    [LOCAL, { apiKeyHelper: './key.sh' }, 'apiKeyHelper'],
    [LOCAL, { awsAuthRefresh: './key.sh' }, 'awsAuthRefresh'],
    [LOCAL, { statusLine: { type: 'command', command: './line.sh' } }, 'statusLine'],
    [LOCAL, { ofTheFuture: './evil.sh' }, 'ofTheFuture'],
  ])('what %s brings: %j', (path, json, thing) => {
    const box = drivenProject({ ...TWO_STEPS, [path]: JSON.stringify(json) });
    expectRefused(box, `it brings ${thing} in ${path};`);
  });

  it('the servers of .mcp.json, also beside ours', () => {
    const ours = { holdfast: { command: 'node', args: ['./holdfast/bin/holdfast.cjs', 'mcp'] } };
    const servers = { mcpServers: { ...mcpServers, ...ours } };
    const box = drivenProject({ ...TWO_STEPS, '.mcp.json': JSON.stringify(servers) });
    // One that looks like ours, but runs a file of the project.
    expectRefused(box, 'the MCP server evil and the MCP server holdfast in .mcp.json');
  });

  it.each([
    '.claude/agents/team/reviewer.md',
    '.claude/commands/ship.md',
    '.claude/commands/holdfast/status.md',
    '.claude/skills/deploy/SKILL.md',
    '.claude/skills/holdfast/hooks/register.js',
    '.claude/skills/holdfast/program.json',
    'packages/web/.claude/skills/deploy/SKILL.md',
  ])('%s, which may start programs or allow tools', (path) => {
    expectRefused(drivenProject({ ...TWO_STEPS, [path]: '# Ship\n' }), path);
  });

  it('agents behind a link, and settings that cannot be checked', () => {
    const box = drivenProject({ ...TWO_STEPS, 'elsewhere/a.md': '', [SETTINGS]: '\0' });
    symlinkSync('../elsewhere', join(box.root, '.claude/agents'));
    expectRefused(box, '.claude/agents', `${SETTINGS}, which cannot be checked`);
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

  it('and names the first dozen of many', () => {
    const many = Array.from({ length: 30 }, (_, n) => [`.claude/agents/a${n}.md`, '']);
    const box = drivenProject({ ...TWO_STEPS, ...Object.fromEntries(many) });
    const { stderr } = box.drive(START, { code: 1 });
    expect(stderr.match(/\.claude\/agents\/a\d+\.md/g)).toHaveLength(12);
    expect(stderr).toContain(', more; ');
  });
});

describe('run drives', () => {
  it.each([
    ['a project with nothing of its own', {}],
    [
      'settings that run and allow nothing',
      { model: 'opus', permissions: { deny: ['WebFetch'] }, hooks: {}, $schema: 'x' },
    ],
  ])('%s', (_name, json) => {
    const box = drivenProject({ ...TWO_STEPS, [LOCAL]: JSON.stringify(json) });
    expect(box.drive(START)).toMatchObject({ code: 0, stderr: '' });
  });

  it.each(['local', 'project'])('what `init --scope %s` wrote itself', (scope) => {
    const box = drivenProject({
      ...TWO_STEPS,
      'node_modules/evil/.claude/skills/a/SKILL.md': '',
      'CLAUDE.md': `See ${repository}`,
    });
    box.run(['init', '--scope', scope]);
    expect(box.drive(START)).toMatchObject({ code: 0, stderr: '' });
  });

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
