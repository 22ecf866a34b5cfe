import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fse from 'fs-extra';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  builtPackage,
  repository,
  runOther,
  sandbox,
  type Sandbox,
} from '../support/cli.ts';
import { fire, recorded, registered } from '../support/hooks.ts';
import { onlyRun } from '../support/state.ts';

let base: string;
let tarball: string;

beforeAll(() => {
  base = fse.mkdtempSync(join(tmpdir(), 'holdfast-packed-'));
  const words = [
    'pack',
    '--json',
    '--ignore-scripts',
    '--pack-destination',
    base,
  ];
  const { stdout } = runOther('npm', words, { cwd: repository });
  tarball = join(base, JSON.parse(stdout)[0].filename);
});
afterAll(() => fse.rmSync(base, { recursive: true, force: true }));

/** As in a terminal of that user's, without a network. */
function must(
  box: Sandbox,
  words: string[],
  env: Record<string, string> = {},
): string {
  const [program = '', ...rest] = words;
  const npm = {
    offline: 'true',
    audit: 'false',
    fund: 'false',
    update_notifier: 'false',
  };
  const settings = Object.entries(npm).map(([name, value]) => [
    `npm_config_${name}`,
    value,
  ]);
  const own = {
    PATH: process.env['PATH'],
    HOME: box.home,
    ...Object.fromEntries(settings),
  };
  return runOther(program, rest, { cwd: box.root, env: { ...own, ...env } })
    .stdout;
}

/** As the client does it; what of the reply reaches the model. `plugin` is the folder of the plugin. */
function contextOf(
  box: Sandbox,
  line: string,
  prompt: string,
  now?: string,
  plugin = '',
): string {
  const payload = { session_id: 's1', cwd: box.root, prompt_id: prompt };
  const { stdout, stderr } = fire(
    box,
    line.replace('${CLAUDE_PLUGIN_ROOT}', () => plugin),
    recorded('sessionstart-compact', payload),
    {
      CLAUDE_PROJECT_DIR: box.root,
      ...(now === undefined ? {} : { HOLDFAST_NOW: now }),
    },
  );
  expect(stderr).toBe('');
  return stdout === ''
    ? ''
    : JSON.parse(stdout).hookSpecificOutput.additionalContext;
}

const session = { CLAUDE_CODE_SESSION_ID: 's1' };
const SETTINGS = '.claude/settings.local.json';

/** What is there of a user and a project, apart from what npm and the workflow keep. */
function left(box: Sandbox): string[] {
  const isOthers =
    /^(?:\.npm|\.git|node_modules|package(?:-lock)?\.json|untracked|global)$/;
  return [box.home, box.root].flatMap((folder) =>
    fse.readdirSync(folder).filter((name) => !isOthers.test(name)),
  );
}

describe('the packed package', () => {
  it('works from a global install, and is gone after an uninstall', () => {
    const box = sandbox();
    const prefix = join(box.home, 'global');
    must(box, ['npm', 'install', '-g', '--prefix', prefix, tarball]);
    const program = join(prefix, 'bin/holdfast');
    expect(must(box, [program, 'demo'], { TMPDIR: box.home })).toContain(
      '✅ Workflow restored: Shop, Phase 2/4',
    );
    must(box, [program, 'init']);
    must(box, [program, 'start', 'Shop'], session);
    // As if it was called by npx, whose cache is gone.
    fse.renameSync(prefix, `${prefix}-gone`);
    expect(
      contextOf(
        box,
        registered(join(box.root, SETTINGS), 'SessionStart'),
        'p1',
      ),
    ).toContain('Workflow: Shop');
    fse.renameSync(`${prefix}-gone`, prefix);
    must(box, [program, 'uninstall']);
    must(box, ['npm', 'uninstall', '-g', '--prefix', prefix, 'holdfast']);
    expect(left(box)).toEqual([]);
    expect(fse.existsSync(program)).toBe(false);
  });

  it('works as a dev dependency, in files that name no machine', () => {
    const box = sandbox({ 'package.json': '{"private": true}\n' });
    must(box, ['npm', 'install', '--save-dev', tarball]);
    must(box, ['npx', 'holdfast', 'init', '--scope', 'project', '--mcp']);
    const program = join(box.root, 'node_modules/.bin/holdfast');
    must(box, [program, 'start', 'Shop'], session);
    const committed = [
      '.claude/settings.json',
      '.mcp.json',
      '.claude/commands/holdfast/status.md',
    ];
    for (const path of committed) {
      const text = fse.readFileSync(join(box.root, path), 'utf8');
      expect(text, path).not.toContain(box.home);
      expect(text, path).not.toContain(box.root);
    }

    // A colleague, who has the dependency and has never run `init`.
    fse.rmSync(join(box.home, '.claude'), { recursive: true });
    const hook = registered(
      join(box.root, '.claude/settings.json'),
      'SessionStart',
    );
    expect(contextOf(box, hook, 'p1')).toContain('Workflow: Shop');
    expect(serverSays(box)).toContain('"name":"holdfast"');

    must(box, [program, 'uninstall', '--scope', 'project']);
    must(box, ['npm', 'uninstall', 'holdfast']);
    expect(left(box)).toEqual([]);
    expect(fse.existsSync(join(box.root, 'node_modules/holdfast'))).toBe(false);
  });

  it('works as a plugin from any folder and leaves only records of sessions and compiled code behind', () => {
    const box = sandbox();
    const plugin = unpack(box);
    must(
      box,
      ['node', join(plugin, 'bin/holdfast.cjs'), 'start', 'Shop'],
      session,
    );
    const hook = registered(join(plugin, 'hooks/hooks.json'), 'SessionStart');
    expect(contextOf(box, hook, 'p1', undefined, plugin)).toContain(
      'Workflow: Shop',
    );
    expect(left(box)).toEqual(['.claude', 'plugin of mine']);
    expect(fse.readdirSync(join(box.home, '.claude'))).toEqual(['holdfast']);
    expect(fse.readdirSync(join(box.home, '.claude/holdfast'))).toEqual([
      'cache',
      'projects',
      'sessions',
      'wake',
    ]);
    fse.rmSync(plugin, { recursive: true });
    expect(contextOf(box, hook, 'p2', undefined, plugin)).toBe('');
  });

  it('counts and prints nothing twice if it is both a plugin and installed', () => {
    const box = sandbox();
    const plugin = unpack(box);
    // Both calls must come within two seconds, so their clock is set.
    fse.cpSync(join(builtPackage, 'dist'), join(plugin, 'dist'), {
      recursive: true,
    });
    const now = new Date().toISOString();
    const program = ['node', join(plugin, 'bin/holdfast.cjs')];
    must(box, [...program, 'init']);
    must(box, [...program, 'start', 'Shop'], session);
    const hooks = [
      registered(join(plugin, 'hooks/hooks.json'), 'SessionStart'),
      registered(join(box.root, SETTINGS), 'SessionStart'),
    ];
    const replies = hooks.map((hook) =>
      contextOf(box, hook, 'one compaction', now, plugin),
    );
    expect(
      replies.filter((reply) => reply.includes('Workflow: Shop')),
    ).toHaveLength(1);
    expect(replies.filter((reply) => reply !== '')).toHaveLength(1);
    const { context_metadata, sessions } = onlyRun(box.root);
    expect(context_metadata?.compaction_count).toBe(1);
    expect(sessions?.session_history).toHaveLength(1);
  });
});

describe('when the host has the plugin', () => {
  it('init adds only what a plugin cannot bring', () => {
    const box = withPlugin('user');
    box.run(['init']);
    expect(fse.readdirSync(join(box.root, '.claude'))).toEqual([
      'holdfast.json',
    ]);
  });

  it('init takes out what it had installed and the plugin brings', () => {
    const box = withPlugin('none');
    const before = '{ "model":"opus" }';
    fse.writeFileSync(join(box.root, SETTINGS), before);
    box.run(['init']);
    enable(box);
    box.run(['init']);
    const settings = JSON.parse(
      fse.readFileSync(join(box.root, SETTINGS), 'utf8'),
    );
    expect(Object.keys(settings)).toEqual(['model']);
    expect(
      fse.existsSync(join(box.root, '.claude/skills/holdfast/SKILL.md')),
    ).toBe(false);
    box.run(['uninstall']);
    expect(fse.readFileSync(join(box.root, SETTINGS), 'utf8')).toBe(before);
  });
});

function unpack(box: Sandbox): string {
  const plugin = join(box.home, 'plugin of mine');
  fse.mkdirSync(plugin);
  must(box, ['tar', '-xzf', tarball, '--strip-components=1', '-C', plugin]);
  return plugin;
}

/** As the host keeps it after `/plugin install`. */
function withPlugin(scope: 'user' | 'none'): Sandbox {
  const box = sandbox({ '.claude/holdfast.json': '{}' });
  const folder = join(
    box.home,
    '.claude/plugins/cache/holdfast/holdfast/0.1.0',
  );
  fse.mkdirSync(folder, { recursive: true });
  for (const name of [
    '.claude-plugin',
    'hooks',
    'bin',
    'dist',
    'commands',
    'skills',
  ])
    fse.cpSync(join(repository, name), join(folder, name), { recursive: true });
  const plugins = {
    'holdfast@holdfast': [{ scope: 'user', installPath: folder }],
  };
  writeJson(join(box.home, '.claude/plugins/installed_plugins.json'), {
    version: 2,
    plugins,
  });
  if (scope === 'user') enable(box);
  return box;
}

function enable(box: Sandbox): void {
  writeJson(join(box.home, '.claude/settings.json'), {
    enabledPlugins: { 'holdfast@holdfast': true },
  });
}

function writeJson(path: string, value: object): void {
  fse.writeFileSync(path, JSON.stringify(value));
}

function serverSays(box: Sandbox): string {
  const { command, args } = JSON.parse(
    fse.readFileSync(join(box.root, '.mcp.json'), 'utf8'),
  ).mcpServers.holdfast;
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 't', version: '1' },
  };
  const { stdout } = runOther(command, args, {
    cwd: box.root,
    input: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`,
    env: { PATH: process.env['PATH'], HOME: box.home },
  });
  return stdout;
}
