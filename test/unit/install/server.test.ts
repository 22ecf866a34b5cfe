import { mkdirSync, readFileSync, statSync, writeFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { HoldfastError } from '../../../src/errors/holdfast-error.ts';
import { rulesFor } from '../../../src/install/plan/permission-rules.ts';
import { isOurServer, portableServer, serverFor } from '../../../src/install/plan/server-entry.ts';
import { unmarked } from '../../../src/install/plan/settings-hooks.ts';
import type { Scope } from '../../../src/install/plan/scopes.ts';
import { installer } from '../../support/installation.ts';
import { makeProject, type Project } from '../../support/project.ts';

const withServer = { withServer: true };
const OTHERS = { mcpServers: { other: { command: 'other' } } };
const spread = (json: unknown, indent: string | number = 2): string =>
  `${JSON.stringify(json, null, indent)}\n`;

function fileOf(project: Project, scope: Scope): string {
  return scope === 'project' ? project.at('.mcp.json') : join(project.outside, 'home/.claude.json');
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function serversIn(project: Project, scope: Scope): Record<string, unknown> {
  const json = JSON.parse(unmarked(readFileSync(fileOf(project, scope), 'utf8')));
  return (scope === 'local' ? json.projects[project.root] : json).mcpServers;
}

function starts(root: string): [name: string, text: string | null][] {
  return [
    ['no file', null],
    ['an empty object', '{}'],
    ['an empty object over two lines', '{}\n'],
    ['other keys', spread({ theme: 'dark', secret: 'x' })],
    ['other servers', spread(OTHERS)],
    ['tabs', spread(OTHERS, '\t')],
    ['CRLF', spread(OTHERS).replaceAll('\n', '\r\n')],
    ['a BOM', `\uFEFF${spread(OTHERS)}`],
    ['one line', '{"mcpServers":{"other":{"command":"x"}},"projects":{"/else":{}}}'],
    ['no servers yet', spread({ mcpServers: {}, projects: {} })],
    ['this project', spread({ projects: { [root]: { allowedTools: [], mcpServers: {} } } })],
    ['this project without servers', spread({ projects: { [root]: { allowedTools: [] } } })],
  ];
}

describe.each(['local', 'project', 'user'] as const)('scope %s', (scope) => {
  it('is not registered unless it is asked for', () => {
    const project = makeProject();
    installer(project, scope).init();
    expect(existsSync(fileOf(project, scope))).toBe(false);
  });

  test.each(starts(''))('goes in beside %s, and out without a trace', (name) => {
    const project = makeProject();
    const [, before = null] = starts(project.root).find(([start]) => start === name) ?? [];
    const path = fileOf(project, scope);
    if (before !== null) put(path, before);
    const { init, uninstall } = installer(project, scope);

    init('1.0.0', false, withServer);
    expect(serversIn(project, scope)['holdfast']).toEqual(
      scope === 'project'
        ? portableServer()
        : serverFor(join(project.outside, 'home/.claude/holdfast/bin/holdfast.cjs')),
    );
    expect(init('1.0.0', false, withServer).changes).toEqual([]);
    expect(init().changes).toEqual([]);

    uninstall();
    expect(existsSync(path) ? readFileSync(path, 'utf8') : null).toBe(before);
  });

  it('keeps what the host or its user wrote meanwhile', () => {
    const project = makeProject();
    const { init, uninstall } = installer(project, scope);
    init('1.0.0', false, withServer);
    const path = fileOf(project, scope);
    const json = JSON.parse(readFileSync(path, 'utf8'));
    put(path, JSON.stringify({ numStartups: 3, ...json }, null, 2));
    uninstall();
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ numStartups: 3 });
  });

  it('leaves alone a server of the same name that is somebody else’s', () => {
    const project = makeProject();
    const theirs = { command: 'holdfast', args: ['mcp'] };
    const servers = { mcpServers: { holdfast: theirs } };
    const text = spread(scope === 'local' ? { projects: { [project.root]: servers } } : servers);
    put(fileOf(project, scope), text);
    const { init, uninstall } = installer(project, scope);
    expect(init('1.0.0', false, withServer).foreignServers).toEqual([fileOf(project, scope)]);
    uninstall();
    expect(readFileSync(fileOf(project, scope), 'utf8')).toBe(text);
  });

  it('is not put back by an update after somebody took it out', () => {
    const project = makeProject();
    const { init } = installer(project, scope);
    init('1.0.0', false, withServer);
    put(fileOf(project, scope), '{}\n');
    expect(init().changes).toEqual([]);
    expect(readFileSync(fileOf(project, scope), 'utf8')).toBe('{}\n');
  });

  it('keeps what its user added to the entry', () => {
    const project = makeProject();
    const { init } = installer(project, scope);
    init('1.0.0', false, withServer);
    const path = fileOf(project, scope);
    put(
      path,
      readFileSync(path, 'utf8').replace('"type": "stdio"', '"type": "http", "env": {"A": "1"}'),
    );
    init();
    expect(serversIn(project, scope)['holdfast']).toMatchObject({ type: 'stdio', env: { A: '1' } });
  });

  test.each([
    ['no strict JSON', '{"a": 1,}', 'settings_not_json'],
    ['a list of servers', '{"mcpServers": [], "projects": 1}', 'settings_misshapen'],
    ['no object', '[]', 'settings_misshapen'],
  ])('refuses %s, and then nothing is changed at all', (_what, text, code) => {
    const project = makeProject();
    put(fileOf(project, scope), text);
    const attempt = (): unknown => installer(project, scope).init('1.0.0', false, withServer);
    expect(attempt).toThrow(HoldfastError);
    expect(attempt).toThrow(expect.objectContaining({ code }));
    expect(readFileSync(fileOf(project, scope), 'utf8')).toBe(text);
    expect(project.exists('.claude/settings.local.json')).toBe(false);
  });
});

it('a file that the host will keep secrets in is made for its owner alone', () => {
  const project = makeProject();
  const { init, hostFile } = installer(project, 'user');
  init('1.0.0', false, withServer);
  expect(statSync(hostFile).mode & 0o777).toBe(0o600);
});

it('in a worktree stands where the host looks: with the main tree', () => {
  const project = makeProject({
    '.git': 'gitdir: ../main/.git/worktrees/tree\n',
    '../main/.git/worktrees/tree/commondir': '../..\n',
  });
  const { init, hostFile } = installer(project, 'local');
  init('1.0.0', false, withServer);
  const main = join(dirname(project.root), 'main');
  expect(Object.keys(JSON.parse(readFileSync(hostFile, 'utf8')).projects)).toEqual([main]);
});

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

describe('beside a plugin', () => {
  const besidePlugin = { hasPlugin: true };

  it('only the server and the permission rules are installed, where the server is asked for', () => {
    const project = makeProject();
    const { init, uninstall, hostFile, config } = installer(project, 'user');
    const { changes } = init('1.0.0', false, { ...besidePlugin, ...withServer });
    const settings = join(config, 'settings.json');
    expect(changes.map(({ path }) => path)).toEqual([settings, hostFile]);
    expect(JSON.parse(readFileSync(settings, 'utf8'))).toEqual({
      permissions: { allow: rulesFor('holdfast') },
    });
    uninstall();
    expect(existsSync(join(project.outside, 'home/.claude'))).toBe(false);
  });

  it('only the hook is registered that a plugin does not bring', () => {
    const project = makeProject();
    installer(project, 'local').init('1.0.0', true, besidePlugin);
    const { hooks } = JSON.parse(project.read('.claude/settings.local.json'));
    expect(Object.keys(hooks)).toEqual(['PreToolUse']);
    expect(project.exists('.claude/commands')).toBe(false);
  });

  it('what was installed before, and the plugin brings, is taken out', () => {
    const before = '{ "model":"opus" }';
    const project = makeProject({ '.claude/settings.local.json': before });
    const { init, uninstall } = installer(project, 'local');
    init();
    init('1.0.0', false, { ...besidePlugin, ...withServer });
    expect(JSON.parse(project.read('.claude/settings.local.json'))).toEqual({
      model: 'opus',
      permissions: { allow: rulesFor('holdfast') },
    });
    expect(project.exists('.claude/skills/holdfast/SKILL.md')).toBe(false);
    uninstall();
    expect(project.read('.claude/settings.local.json')).toBe(before);
  });
});
