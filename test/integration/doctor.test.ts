import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandbox } from '../support/cli.ts';
import {
  boxWith,
  doctor,
  expectOne,
  findings,
  installedHooks,
  LOCAL,
  programs,
  put,
  SHARED,
  troubles,
  type Tree,
} from '../support/doctor.ts';
import { minimalPath, stateFiles } from '../support/state.ts';

const STATE = 'untracked/workflow-state';

describe('the report', () => {
  it('of a project with nothing at all ends with 1 and leaves nothing behind', () => {
    const box = sandbox();
    const { code, stdout, stderr } = box.run(['doctor'], { code: 1 });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^Registration\n {2}broken {3}no settings register the hooks\n {11}fix: holdfast init$/m,
    );
    expect(stdout).toMatch(/\n1 broken.*\.\n$/);
    expect(stderr).toMatch(/^holdfast: 1 check failed; /);
    expect(readdirSync(box.root)).toEqual(['.git']);
    expect(readdirSync(box.home)).toEqual([]);
  });

  it('ends with 0 if the registered hooks work, and shows the evidence with --verbose', () => {
    const box = boxWith({ [LOCAL]: { hooks: installedHooks() } });
    expect(box.run(['doctor']).stdout.split('\n').length).toBeLessThan(12);
    const { code, stdout, stderr } = box.run(['doctor', '--verbose']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      / {2}ok {7}the command of \.claude\/settings\.local\.json works as registered\n/,
    );
    expect(stdout).toMatch(/ {11}SessionStart: exit 0, \d+ characters, \d+ ms\n/);
    expect(stdout).toContain('Nothing is broken');
    expect(readdirSync(box.root).toSorted()).toEqual(['.claude', '.git']);
  });

  it('as JSON stands beside the error if something is broken', () => {
    const box = boxWith({ [LOCAL]: '{ // mine\n}' });
    const { error, root, findings: found, summary } = doctor(box);
    expect(error).toMatchObject({ code: 'unhealthy' });
    expect(root).toBe(box.root);
    expect(summary).toMatchObject({ broken: 2, fixed: 0 });
    expect(found).toContainEqual({
      check: 'settings',
      level: 'broken',
      message: `${LOCAL} is not strict JSON, so Claude Code ignores the whole file`,
      evidence: [`${LOCAL}:1: a comment`],
      fix: `correct line 1 of ${LOCAL} by hand`,
      fixable: false,
    });
  });

  it('honours the folder that CLAUDE_CONFIG_DIR names', () => {
    const box = boxWith({ '~/mine/settings.json': { hooks: installedHooks() } });
    const env = { CLAUDE_CONFIG_DIR: join(box.home, 'mine') };
    expect(box.run(['doctor'], { env }).code).toBe(0);
    expect(box.run(['doctor'], { code: 1 }).code).toBe(1);
  });

  it('names a fix for every problem, and --fix changes nothing that it does not call fixable', () => {
    const tree = { [LOCAL]: '{,}', [minimalPath]: '{', '.claude/holdfast.json': '{"unknown": 1}' };
    const box = boxWith(tree);
    const { findings: found, summary } = doctor(box, ['--fix']);
    const problems = found.filter(({ level }) => level === 'broken' || level === 'warning');
    expect(problems.length).toBeGreaterThan(3);
    expect(problems.filter(({ fix, fixable }) => fix === undefined || fixable)).toEqual([]);
    expect(summary['fixed']).toBe(0);
    for (const [path, text] of Object.entries(tree))
      expect(readFileSync(join(box.root, path), 'utf8')).toBe(text);
  });

  it('mends with --fix, and only then', () => {
    const box = boxWith({
      [LOCAL]: { hooks: installedHooks() },
      [`${STATE}/.tmp-x-1`]: '',
      [`${STATE}/.lock-taken-x-0`]: '',
      [`${STATE}/sources.json`]: '{}',
    });
    expect(doctor(box).summary).toMatchObject({ warnings: 1, fixed: 0 });
    const mended = box.run(['doctor', '--fix']);
    expect(mended.code).toBe(0);
    expect(mended.stdout).toMatch(/ {2}fixed {4}removed untracked\/workflow-state\/\.tmp-x-1\n/);
    expect(readdirSync(join(box.root, STATE))).toEqual(['sources.json']);
    expect(doctor(box).summary).toMatchObject({ warnings: 0, fixed: 0 });
  });

  it('goes on after a check that cannot be done', () => {
    const box = boxWith({ [minimalPath]: '{', [`${STATE}/.lock/x`]: '' });
    expect(troubles(box, 'lock')).toEqual([expect.stringMatching(/^broken: .*\.lock exists/)]);
    expect(findings(box, 'git')).toHaveLength(1);
  });

  it('does not note the session as seen: it only looks', () => {
    const box = boxWith({ [LOCAL]: { hooks: installedHooks() } });
    box.run(['start', 'Feature'], { session: 's1' });
    const file = join(box.root, stateFiles(box.root)[0] ?? '');
    const faded = readFileSync(file, 'utf8').replaceAll(
      /"(last_seen_at|started_at)": "[^"]+"/g,
      `"$1": "${new Date(Date.now() - 3_600_000).toISOString()}"`,
    );
    writeFileSync(file, faded);
    expect(box.run(['doctor'], { session: 's1' }).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(faded);
    box.run(['status'], { session: 's1' });
    expect(readFileSync(file, 'utf8')).not.toBe(faded);
  });
});

describe('settings of the client', () => {
  const off = { disableAllHooks: true };
  const on = { disableAllHooks: false };

  it.each<[title: string, tree: Tree, said: string[]]>([
    ['none', {}, []],
    ['an empty file', { [LOCAL]: '\n' }, []],
    [
      'a trailing comma',
      { [LOCAL]: '{\n  "model": "x",\n}' },
      ['broken', 'a trailing comma', `correct line 2 of ${LOCAL}`],
    ],
    [
      'hooks in another form',
      { [SHARED]: { hooks: { SessionStart: {} } } },
      ['broken', '"hooks.SessionStart" is not in the format that Claude Code expects'],
    ],
    ['a folder in the place of the file', { [`${LOCAL}/x`]: '' }, ['broken', 'not a file']],
    [
      'hooks that are switched off',
      { '~/.claude/settings.json': off },
      ['broken', 'switches hooks off', 'take "disableAllHooks" out of'],
    ],
    ['local before project: on', { [SHARED]: off, [LOCAL]: on }, []],
    ['local before project: off', { [SHARED]: on, [LOCAL]: off }, ['broken', LOCAL]],
    ['project before user', { [SHARED]: on, '~/.claude/settings.json': off }, []],
    ['a key that only a policy may have', { [LOCAL]: { allowManagedHooksOnly: true } }, []],
    [
      'a setting of holdfast with another value',
      { '.claude/holdfast.json': { reading: { enforce: 'loudly' } } },
      ['warning', '"reading.enforce" must be one of'],
    ],
  ])('%s', (_title, tree, said) => {
    expectOne(troubles(boxWith(tree), 'settings'), said);
  });

  it.each([null, 1, { hooks: null }, { matcher: '' }, { hooks: [{ type: 'command' }] }])(
    'a hook of the form %j, for which older clients ignore the whole file',
    (group) => {
      const box = boxWith({ [LOCAL]: { hooks: { Stop: [group] } } });
      const look = (claude: string): string[] =>
        troubles(box, 'settings', { code: 1, env: { PATH: programs(box, { claude }) } });
      expectOne(look('2.1.197 (Claude Code)'), ['broken', 'run no hook of this file', LOCAL]);
      expectOne(look('2.1.325 (Claude Code)'), ['warning']);
      expectOne(look('no number'), ['warning']);
    },
  );
});

describe('the registration', () => {
  const hooks = installedHooks;
  const PLUGIN = {
    '~/.claude/settings.json': { enabledPlugins: { 'holdfast@market': true } },
    '~/.claude/plugins/installed_plugins.json': {
      version: 2,
      plugins: { 'holdfast@market': [{ scope: 'user', installPath: 'PLACE' }] },
    },
  };
  const block = { '.claude/holdfast.json': { reading: { enforce: 'block' } } };
  const group = (event: string, changes: object = {}, matcher = ''): object => ({
    ...hooks(),
    [event]: [{ matcher, hooks: [{ ...hooks()[event]?.[0]?.hooks[0], ...changes }] }],
  });
  const without = (...events: string[]): object =>
    Object.fromEntries(Object.entries(hooks()).filter(([event]) => !events.includes(event)));

  it.each<[title: string, tree: () => Tree, said: string[]]>([
    ['what init writes', () => ({ [LOCAL]: { hooks: hooks() } }), []],
    [
      'none in any file',
      () => ({ [LOCAL]: { hooks: { SessionStart: [] } } }),
      ['broken', 'fix: holdfast init'],
    ],
    [
      'a file that the client ignores',
      () => ({ [LOCAL]: '{ "hooks": {' }),
      ['broken', `fix: correct ${LOCAL}, then holdfast init`],
    ],
    [
      'an event that no file registers',
      () => ({ '~/.claude/settings.json': { hooks: without('PostCompact', 'SessionEnd') } }),
      ['warning: not registered: PostCompact, SessionEnd', 'fix: holdfast init --scope user'],
    ],
    [
      'another timeout',
      () => ({ [SHARED]: { hooks: group('SessionStart', { timeout: 3 }) } }),
      ['warning', 'timeout 3 instead of 15'],
    ],
    [
      'a matcher',
      () => ({ [SHARED]: { hooks: group('SessionStart', {}, 'compact') } }),
      ['warning', 'matcher "compact"'],
    ],
    [
      'a setting that asks for a hook which is not there',
      () => ({ ...block, [LOCAL]: { hooks: hooks() } }),
      ['warning: reading.enforce is "block", but PreToolUse is not registered'],
    ],
    [
      'that hook with the setting',
      () => ({ ...block, [LOCAL]: { hooks: installedHooks({ isBlocking: true }) } }),
      [],
    ],
    [
      'that hook without the setting',
      () => ({ [LOCAL]: { hooks: installedHooks({ isBlocking: true }) } }),
      ['warning', 'PreToolUse: this hook is no longer needed', 'holdfast init --scope local'],
    ],
    [
      'a hook that is there twice',
      () => {
        const { SessionStart = [], ...rest } = hooks();
        return {
          [LOCAL]: { hooks: { ...rest, SessionStart: [...SessionStart, ...SessionStart] } },
        };
      },
      ['warning', `${LOCAL} registers a hook twice`, 'SessionStart'],
    ],
    [
      'hooks of one user in two files: those of the project may go',
      () => ({ [LOCAL]: { hooks: hooks() }, '~/.claude/settings.json': { hooks: hooks() } }),
      ['warning', 'several places', 'fix: holdfast uninstall --scope local'],
    ],
    [
      'hooks of a team and of one of them',
      () => ({ [SHARED]: { hooks: hooks() }, [LOCAL]: { hooks: hooks() } }),
      ['warning', 'several places', 'fix: holdfast uninstall --scope local'],
    ],
    [
      'hooks of a team and of a user for all projects: a choice',
      () => ({ [SHARED]: { hooks: hooks() }, '~/.claude/settings.json': { hooks: hooks() } }),
      ['note', 'several places', 'if no other project needs them'],
    ],
    [
      'hooks beside one in another form',
      () => ({ [LOCAL]: { hooks: { ...hooks(), Stop: [null] } } }),
      [],
    ],
  ])('%s', (_title, tree, said) => {
    expectOne(troubles(boxWith(tree()), 'registration'), said);
  });

  it('by a plugin counts; hooks in settings besides may go, and a hook that it lacks comes by init', () => {
    const box = boxWith(PLUGIN);
    const place = '~/.claude/plugins/cache/market/holdfast/1.0.0';
    const plugins = PLUGIN['~/.claude/plugins/installed_plugins.json'];
    put(
      box,
      '~/.claude/plugins/installed_plugins.json',
      JSON.stringify(plugins).replace('PLACE', join(box.home, place.slice(2))),
    );
    const command = 'node ${CLAUDE_PLUGIN_ROOT}/dist/hook.cjs';
    const inShell = Object.keys(hooks()).map((event) => [
      event,
      [{ matcher: '', hooks: [{ type: 'command', command, timeout: 15 }] }],
    ]);
    put(box, `${place}/hooks/hooks.json`, { hooks: Object.fromEntries(inShell) });
    expect(troubles(box, 'registration')).toEqual([]);
    put(box, '.claude/holdfast.json', block['.claude/holdfast.json']);
    expectOne(troubles(box, 'registration'), ['warning', 'fix: holdfast init']);
    rmSync(join(box.root, '.claude/holdfast.json'));
    put(box, LOCAL, { hooks: hooks() });
    const both = ['warning', 'several places', 'plugin holdfast@market', 'uninstall --scope local'];
    expectOne(troubles(box, 'registration'), both);
    put(box, '~/.claude/settings.json', { enabledPlugins: { 'holdfast@market': false } });
    expect(troubles(box, 'registration')).toEqual([]);
  });

  it.each([
    ['local', LOCAL, ['launched in a sub-directory outside git: not in 2.1.197, 2.1.325']],
    ['project', SHARED, ['launched in a sub-directory of a git repository: not in 2.1.197, 2.1']],
    ['user', '~/.claude/settings.json', []],
  ])('of scope %s names the launches that it misses', (_scope, path, said) => {
    expectOne(troubles(boxWith({ [path]: { hooks: hooks() } }), 'coverage'), said);
  });

  it('names a slash command that is gone, and the command that brings it back', () => {
    const box = sandbox();
    box.run(['init']);
    const file = join(box.root, '.claude/commands/holdfast/resume.md');
    rmSync(file);
    const said = ['warning', `missing: ${file}`, 'fix: holdfast init --scope local'];
    expectOne(troubles(box, 'registration'), said);
    box.run(['init', '--scope', 'local']);
    expect(existsSync(file)).toBe(true);
    expect(troubles(box, 'registration')).toEqual([]);
  });
});

describe('what init installs besides', () => {
  const SKILL = '.claude/skills/holdfast';

  it('a module whose bytes differ, a file of it that is gone, and one that a repository brings', () => {
    const box = sandbox();
    box.run(['init']);
    expect(findings(box, 'module')[0]).toMatch(/^ok: the module in .* is this version's/);
    const folder = join(box.root, SKILL);
    const changed = [`warning: the module in ${folder} was changed after init wrote it`];
    const asInstalled = new Map(
      ['hooks/register.js', 'hooks/hooks.json', 'program.json'].map((path) => [
        path,
        readFileSync(join(folder, path), 'utf8'),
      ]),
    );
    for (const [path, text] of asInstalled) {
      put(box, `${SKILL}/${path}`, '{"modules": ["../other.js"], "hooks": {}}');
      expectOne(troubles(box, 'module'), [...changed, join(folder, path), `rm -r ${folder}`]);
      put(box, `${SKILL}/${path}`, text);
    }
    rmSync(join(folder, 'program.json'));
    expectOne(troubles(box, 'module'), [...changed, `${folder}/program.json (missing)`]);
    put(box, `${SKILL}/program.json`, asInstalled.get('program.json') ?? '');
    put(box, '.claude/skills/tools/.claude-plugin/plugin.json', '{"name": "holdfast"}');
    put(box, '.claude/skills/tools/hooks/hooks.json', '{"modules": ["./x.js"]}');
    put(box, '.claude/skills/others/.claude-plugin/plugin.json', '{"name": "others"}');
    put(box, '.claude/skills/others/hooks/hooks.json', '{"modules": ["./x.js"]}');
    expectOne(troubles(box, 'module'), [
      `${join(box.root, '.claude/skills/tools')} has a module under the name of holdfast that init did not write`,
      'Claude Code runs it in this project, with your rights',
    ]);
  });

  it('no module, and a client that loads none', () => {
    const box = sandbox();
    expect(findings(box, 'module')[0]).toContain('`holdfast init` or the plugin brings it');
    box.run(['init']);
    const PATH = `${programs(box, { claude: '2.1.285' })}:${process.env['PATH']}`;
    expectOne(troubles(box, 'module', { env: { PATH } }), ['note', 'modules need 2.1.286']);
    rmSync(join(box.root, SKILL), { recursive: true });
    expect(troubles(box, 'module')[0]).toContain('fix: holdfast init --scope local');
  });

  it('an MCP server that is missing, answers, or is another program', () => {
    const box = sandbox();
    expect(findings(box, 'mcp')[0]).toMatch(/^skipped: .*`holdfast init --mcp`/);
    box.run(['init', '--scope', 'user', '--mcp']);
    expect(findings(box, 'mcp')[0]).toMatch(/^ok: the MCP server answers as registered: holdfast /);
    put(box, '~/.claude/holdfast/bin/holdfast.cjs', 'console.log("hello")');
    expectOne(troubles(box, 'mcp'), ['broken', 'fix: holdfast init --scope user --mcp']);
    rmSync(join(box.home, '.claude/holdfast/bin/holdfast.cjs'));
    expectOne(troubles(box, 'mcp'), ['broken']);
  });

  it('an MCP server that came with the project is never started', () => {
    const box = sandbox();
    const sign = join(box.root, 'ran');
    const code = `require('fs').writeFileSync(${JSON.stringify(sign)}, '')`;
    const file = put(box, 'node_modules/holdfast/dist/mcp.cjs', code);
    for (const holdfast of [
      { command: process.execPath, args: [file] },
      { command: 'sh', args: ['-c', `touch ${sign}`] },
    ]) {
      put(box, '.mcp.json', { mcpServers: { holdfast } });
      expect(findings(box, 'mcp')[0]).toMatch(/^skipped:/);
    }
    expect(existsSync(sign)).toBe(false);
    put(box, '.mcp.json', '{\n  "mcpServers": {},\n}');
    expectOne(troubles(box, 'mcp'), ['warning', '.mcp.json:2']);
  });

  it('a status line that is hidden, that hides a changed one, or whose program is gone', () => {
    const mine = (command: string): object => ({ statusLine: { type: 'command', command } });
    const box = boxWith({ [SHARED]: mine('echo mine') });
    expect(findings(box, 'statusline')[0]).toMatch(/^skipped: .*`holdfast init --statusline`/);
    box.run(['init', '--statusline']);
    expect(findings(box, 'statusline')[0]).toContain('runs first: echo mine');
    put(box, SHARED, mine('echo another'));
    const changed = `warning: ${LOCAL} hides the status line of ${SHARED} as it is now`;
    expectOne(troubles(box, 'statusline'), [changed, 'fix: holdfast init --statusline']);
    put(box, SHARED, mine('echo mine'));
    rmSync(join(box.home, '.claude/holdfast'), { recursive: true });
    expectOne(troubles(box, 'statusline'), ['warning', 'init --scope local --statusline']);
    const other = boxWith({ [LOCAL]: mine('echo mine') });
    other.run(['init', '--scope', 'project', '--statusline']);
    const hidden = `warning: ${LOCAL} has a status line that hides the one of holdfast`;
    expectOne(troubles(other, 'statusline'), [hidden]);
  });
});

describe('programs', () => {
  const NODE = { node: 'v20.0.0' };

  it.each([
    [{ node: 'v18.20.4' }, ['broken', 'v18.20.4']],
    [{}, ['broken', '`node` is not on the PATH']],
    [NODE, []],
    [{ ...NODE, claude: '2.1.139 (Claude Code)' }, []],
    [{ ...NODE, claude: '2.1.138 (Claude Code)' }, ['broken', '2.1.138']],
    [{ ...NODE, claude: '1.9.999 (Claude Code)' }, ['broken']],
    [{ ...NODE, claude: 'no number' }, []],
  ])('%j', (outputs, said) => {
    const box = sandbox();
    expectOne(troubles(box, 'versions', { code: 1, env: { PATH: programs(box, outputs) } }), said);
  });

  it('the copy that hooks run must be that of this version', () => {
    const box = sandbox();
    box.run(['init', '--scope', 'user']);
    expect(troubles(box, 'versions')).toEqual([]);
    const hook = put(box, '~/.claude/holdfast/dist/hook.cjs', '// other hooks');
    rmSync(join(box.home, '.claude/holdfast/dist/cli.cjs'));
    expectOne(troubles(box, 'versions').slice(0, 1), [
      'warning',
      'cli.cjs: missing',
      `${hook}: differs from`,
    ]);
    const record = join(box.home, '.claude/holdfast/installs.json');
    const installed = JSON.parse(readFileSync(record, 'utf8'));
    put(box, '~/.claude/holdfast/installs.json', { ...installed, runtime: { version: '0.0.1' } });
    expectOne(troubles(box, 'versions').slice(0, 1), [
      'warning',
      'fix: holdfast init --scope user',
    ]);
  });

  it.each([
    [{ claude: '2.1.139 (Claude Code)' }, 'ok: `holdfast run` can drive Claude Code 2.1.139'],
    [{ claude: '2.0.14 (Claude Code)' }, 'warning: `holdfast run` cannot drive Claude Code 2.0.14'],
    [{ claude: 'no number' }, 'skipped'],
    [{}, 'skipped'],
  ])('%j for headless runs', (outputs: Record<string, string>, start) => {
    const box = sandbox();
    const env = { PATH: programs(box, { ...NODE, ...outputs }) };
    expect(findings(box, 'headless', { code: 1, env })[0]).toMatch(new RegExp(`^${start}`));
  });

  it.each(['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CODE_USE_BEDROCK'])(
    'a login by %s is seen, and its value is not shown',
    (name) => {
      const found = findings(sandbox(), 'headless', { code: 1, env: { [name]: 'the-secret' } });
      expect(found[1]).toMatch(new RegExp(`^ok: .*${name}`));
      expect(found.join('\n')).not.toContain('the-secret');
    },
  );

  it('a missing login is a note only where runs are driven', () => {
    const box = sandbox();
    expect(findings(box, 'headless')[1]).toMatch(/^skipped/);
    put(box, 'untracked/workflow-logs/a-1/events.jsonl', '{}\n');
    expect(troubles(box, 'headless')[0]).toMatch(/^note: [^]*\/login/);
    put(box, '~/.claude/.credentials.json', '{}');
    expect(findings(box, 'headless')[1]).toMatch(/^ok/);
  });
});
