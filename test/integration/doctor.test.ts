import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git, sandbox, type Sandbox } from '../support/cli.ts';
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
import { preCompact } from '../support/hooks.ts';
import { minimalPath, minimalState, stateFiles } from '../support/state.ts';

const STATE = 'untracked/workflow-state';
/** How many depends on whether this machine has Claude Code. */
const SKIPPED = /\d+ skipped/;
const NODE = { node: 'v20.0.0' };
/** Then doctor does not try them out, which takes longest. */
const withoutHooks = (box: Sandbox, settings: string): string =>
  put(box, settings, {});

describe('the report', () => {
  it('of a project with nothing at all names the one thing to do, and leaves nothing behind', () => {
    const box = sandbox();
    const { stdout, stderr } = box.run(['doctor'], { code: 1 });
    expect(stdout.replace(SKIPPED, 'some skipped')).toBe(
      `Hooks
  broken   no settings register the hooks
           fix: holdfast init

1 broken, some skipped. \`holdfast doctor --verbose\` shows every check with its evidence.
`,
    );
    expect(stderr).toMatch(/^holdfast: 1 check failed; /);
    expect(readdirSync(box.root)).toEqual(['.git']);
    expect(readdirSync(box.home)).toEqual([]);
  });

  it('shows what is worst first, with evidence and fix', () => {
    const box = boxWith({
      [minimalPath]: { ...minimalState, required_reading: [] },
    });
    git(box, 'init', '--quiet');
    for (const scope of ['local', 'user']) box.run(['init', '--scope', scope]);
    put(box, SHARED, '{\n  "model": "x",\n}');
    const { stdout } = box.run(['doctor'], { code: 1 });
    expect(
      stdout.replaceAll(box.home, '~').replace(SKIPPED, 'some skipped'),
    ).toBe(
      `Settings
  broken   .claude/settings.json is not strict JSON, so Claude Code ignores the whole file
           .claude/settings.json:2: a trailing comma
           fix: correct line 2 of .claude/settings.json by hand

State files
  warning  git does not ignore untracked/workflow-state
           fix: holdfast doctor --fix

Hooks
  note     the same hook is registered in several places
           fix: nothing has to be done, the second call does nothing; \`holdfast uninstall --scope <scope>\` and /plugin remove those that you do not want

Evidence that hooks fire
  note     no hook has left a trace in this project yet
           fix: type /compact in a session here: the client then lists the hooks it ran; if it lists none, restart it in the project root, trust the folder, and ask whether a policy of this machine forbids hooks

1 broken, 1 warning, 2 notes, some skipped. \`holdfast doctor --verbose\` shows every check with its evidence.
`,
    );
  });

  it('names a fix for every problem, and --fix changes nothing that it does not call fixable', () => {
    const tree = {
      [LOCAL]: '{ // mine\n}',
      [minimalPath]: '{',
      '.claude/holdfast.json': '{"unknown": 1}',
    };
    const box = boxWith(tree);
    const { error, root, findings: found, summary } = doctor(box, ['--fix']);
    expect(error).toMatchObject({ code: 'unhealthy' });
    expect(root).toBe(box.root);
    expect(found).toContainEqual({
      check: 'settings',
      level: 'broken',
      message: `${LOCAL} is not strict JSON, so Claude Code ignores the whole file`,
      evidence: [`${LOCAL}:1: a comment`],
      fix: `correct line 1 of ${LOCAL} by hand`,
      fixable: false,
    });
    const problems = found.filter(
      ({ level }) => level === 'broken' || level === 'warning',
    );
    expect(problems.length).toBeGreaterThan(3);
    expect(
      problems.filter(({ fix, fixable }) => fix === undefined || fixable),
    ).toEqual([]);
    expect(summary['fixed']).toBe(0);
    for (const [path, text] of Object.entries(tree))
      expect(readFileSync(join(box.root, path), 'utf8')).toBe(text);
  });

  it('is one line if all is well, shows the evidence with --verbose, mends with --fix, and otherwise only looks', () => {
    const box = sandbox();
    git(box, 'init', '--quiet');
    box.run(['init']);
    box.run(['start', 'Shop'], { session: 's1' });
    preCompact(box, 's1');
    const [path = ''] = stateFiles(box.root);
    const file = join(box.root, path);
    const faded = readFileSync(file, 'utf8').replaceAll(
      /"(last_seen_at|started_at)": "[^"]+"/g,
      `"$1": "${new Date(Date.now() - 3_600_000).toISOString()}"`,
    );
    writeFileSync(file, faded);
    rmSync(join(box.root, STATE, '.gitignore'));
    const { stdout } = box.run(['doctor', '--verbose'], { session: 's1' });
    expect(stdout.match(/^ {2}(?:broken|warning|fixed) .*/gm)).toHaveLength(1);
    expect(stdout).toMatch(
      / {2}ok {7}the command of \.claude\/settings\.local\.json works as registered\n/,
    );
    expect(stdout).toMatch(/ {11}SessionStart: \d+ characters\n/);
    expect(box.run(['doctor', '--fix']).stdout).toMatch(
      / {2}fixed {4}wrote untracked\/workflow-state\/\.gitignore\n/,
    );
    expect(box.run(['doctor']).stdout).toMatch(
      /^Nothing is broken: \d+ checks passed.*\n$/,
    );
    expect(readFileSync(file, 'utf8')).toBe(faded);
  });
});

describe('settings of the client', () => {
  const off = { disableAllHooks: true };
  const on = { disableAllHooks: false };

  it.each<[title: string, tree: Tree, said: string[]]>([
    [
      'hooks in another form',
      { [SHARED]: { hooks: { SessionStart: {} } } },
      [
        'broken',
        '"hooks.SessionStart" is not in the format that Claude Code expects',
      ],
    ],
    [
      'hooks that are switched off',
      { '~/.claude/settings.json': off },
      ['broken', 'switches hooks off', 'take "disableAllHooks" out of'],
    ],
    [
      'a hook for which some clients ignore the whole file',
      { [LOCAL]: { hooks: { Stop: [{ hooks: [{ type: 'command' }] }] } } },
      [
        'broken',
        '"hooks.Stop[0].hooks[0]" is not in the format that Claude Code expects',
      ],
    ],
    [
      'local before project: off',
      { [SHARED]: on, [LOCAL]: off },
      ['broken', LOCAL],
    ],
    [
      'a setting of holdfast with another value',
      { '.claude/holdfast.json': { reading: { enforce: 'loudly' } } },
      ['warning', '"reading.enforce" must be one of'],
    ],
  ])('%s', (_title, tree, said) => {
    expectOne(troubles(boxWith(tree), 'settings'), said);
  });
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

  it.each<[title: string, tree: () => Tree, ...said: string[][]]>([
    [
      'a file that the client ignores',
      () => ({ [LOCAL]: '{ "hooks": {' }),
      ['broken', `fix: correct ${LOCAL}, then holdfast init`],
    ],
    [
      'events that no file registers, and one that is there twice',
      () => {
        const {
          PostCompact: _after,
          PreToolUse: _before,
          SessionStart = [],
          ...rest
        } = hooks();
        const twice = {
          ...rest,
          SessionStart: [...SessionStart, ...SessionStart],
        };
        return { '~/.claude/settings.json': { hooks: twice } };
      },
      [
        'warning: one settings file registers a hook twice',
        'settings.json: SessionStart\n',
      ],
      [
        'warning: not registered: PostCompact, PreToolUse\n',
        'fix: holdfast init --scope user',
      ],
    ],
    [
      'hooks of a team and of one of them, and a setting that asks for more',
      () => ({
        ...block,
        [SHARED]: { hooks: hooks() },
        [LOCAL]: { hooks: hooks() },
      }),
      [
        'warning: not registered: PreToolUse for edits, which reading.enforce: block needs',
      ],
      ['note', 'several places', 'nothing has to be done'],
    ],
  ])('%s', (_title, tree, ...said) => {
    const box = boxWith(tree());
    // Which commands the files register is asked here, not how they work.
    const found = troubles(box, 'hooks', {
      env: { PATH: programs(box, NODE) },
    });
    for (const parts of said) expectOne(found, parts);
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
    const ship = (permission: object): void => {
      const inShell = Object.keys(hooks()).map((event) => {
        const condition = event === 'PreToolUse' ? permission : {};
        const matchers =
          event === 'PostToolUse' ? ['Read', 'ExitPlanMode'] : [''];
        const registered = {
          hooks: [{ type: 'command', ...condition, command }],
        };
        return [event, matchers.map((matcher) => ({ matcher, ...registered }))];
      });
      put(box, `${place}/hooks/hooks.json`, {
        hooks: Object.fromEntries(inShell),
      });
    };
    ship({});
    const old = [
      'warning: not registered: PreToolUse\n',
      'fix: update the plugin with /plugin',
    ];
    expectOne(troubles(box, 'hooks'), old);
    ship({ if: 'Bash(*holdfast*)' });
    expect(troubles(box, 'hooks')).toEqual([]);
    put(box, '.claude/holdfast.json', block['.claude/holdfast.json']);
    expectOne(troubles(box, 'hooks'), ['warning', 'fix: holdfast init']);
    rmSync(join(box.root, '.claude/holdfast.json'));
    put(box, LOCAL, { hooks: hooks() });
    const both = [
      'note',
      'several places',
      'plugin holdfast@market',
      'holdfast uninstall --scope',
    ];
    expectOne(troubles(box, 'hooks'), both);
    put(box, '~/.claude/settings.json', {
      enabledPlugins: { 'holdfast@market': false },
    });
    expect(troubles(box, 'hooks')).toEqual([]);
  });
});

describe('what init installs besides', () => {
  const SKILL = '.claude/skills/holdfast';

  it('a module whose bytes differ, a file of it that is gone, and one that a repository brings', () => {
    const box = sandbox();
    box.run(['init']);
    withoutHooks(box, LOCAL);
    expect(findings(box, 'module')[0]).toMatch(
      /^ok: the module in .* is this version's/,
    );
    const folder = join(box.root, SKILL);
    const message =
      ' has a module under the name of holdfast that init did not write like this';
    const other = '{"modules": ["../other.js"], "hooks": {}}';
    for (const path of ['hooks/register.js', 'hooks/hooks.json'])
      put(box, `${SKILL}/${path}`, other);
    rmSync(join(folder, 'program.json'));
    for (const name of ['holdfast', 'others']) {
      put(box, `.claude/skills/its-${name}/.claude-plugin/plugin.json`, {
        name,
      });
      put(
        box,
        `.claude/skills/its-${name}/hooks/hooks.json`,
        '{"modules": ["./x.js"]}',
      );
    }
    const found = troubles(box, 'module');
    expectOne(found, [
      `warning: ${folder}${message}`,
      join(folder, 'hooks/register.js'),
      join(folder, 'hooks/hooks.json'),
      `${folder}/program.json (missing)`,
      `rm -r ${folder}`,
    ]);
    expectOne(found, [
      `${join(box.root, '.claude/skills/its-holdfast')}${message}`,
    ]);
    expect(found).toHaveLength(2);
  });

  it('anything that init would write in another way now, with the files', () => {
    const box = sandbox();
    box.run(['init', '--scope', 'project']);
    expect(troubles(box, 'installation')).toEqual([]);
    const settings = join(box.root, SHARED);
    put(
      box,
      SHARED,
      readFileSync(settings, 'utf8').replace('"timeout": 15', '"timeout": 3'),
    );
    rmSync(join(box.root, SKILL, 'SKILL.md'));
    expectOne(troubles(box, 'installation'), [
      `warning: scope project is not as this version installs it\n`,
      `${settings}\n`,
      `${SKILL}/SKILL.md (missing)`,
      'fix: holdfast init --scope project',
    ]);
  });

  it('an MCP server that is missing, answers, or is another program', () => {
    const box = sandbox();
    expect(findings(box, 'mcp')[0]).toMatch(
      /^skipped: .*`holdfast init --mcp`/,
    );
    box.run(['init', '--scope', 'user', '--mcp']);
    withoutHooks(box, '~/.claude/settings.json');
    expect(findings(box, 'mcp')[0]).toMatch(
      /^ok: the MCP server answers as registered: holdfast /,
    );
    put(box, '~/.claude/holdfast/bin/holdfast.cjs', 'console.log("hello")');
    expectOne(troubles(box, 'mcp'), [
      'broken',
      'fix: holdfast init --scope user --mcp',
    ]);
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
});

describe('programs', () => {
  it.each([
    [{ node: 'v18.20.4' }, ['broken', 'Node 18.20.4 is too old']],
    [{}, ['broken', '`node` is not on the PATH']],
    [{ ...NODE, claude: '2.1.139 (Claude Code)' }, []],
    [{ ...NODE, claude: '2.1.138 (Claude Code)' }, ['broken', '2.1.138']],
  ])('%j', (outputs, said) => {
    const box = sandbox();
    expectOne(
      troubles(box, 'installation', {
        code: 1,
        env: { PATH: programs(box, outputs) },
      }),
      said,
    );
  });

  it('the copy that hooks run must be that of this version', () => {
    const box = sandbox();
    box.run(['init', '--scope', 'user']);
    withoutHooks(box, '~/.claude/settings.json');
    expect(troubles(box, 'installation')).toEqual([]);
    const hook = put(box, '~/.claude/holdfast/dist/hook.cjs', '// other hooks');
    rmSync(join(box.home, '.claude/holdfast/dist/cli.cjs'));
    expectOne(troubles(box, 'installation').slice(0, 1), [
      'warning',
      'cli.cjs\n',
      hook,
    ]);
  });

  it('that a repository puts on the PATH by npm are not started', () => {
    const box = sandbox();
    const sign = join(box.root, 'started');
    const evil = put(
      box,
      'node_modules/.bin/claude',
      `#!/bin/sh\ntouch ${sign}\n`,
    );
    chmodSync(evil, 0o755);
    findings(box, 'installation', {
      env: { PATH: [join(evil, '..'), process.env['PATH']].join(':') },
    });
    expect(existsSync(sign)).toBe(false);
  });
});
