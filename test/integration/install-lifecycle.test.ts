import { execFile } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import fse from 'fs-extra';
import { describe, expect, it } from 'vitest';
import { binary, git, sandbox, type Sandbox } from '../support/cli.ts';

const LOCAL = '.claude/settings.local.json';
const EXCLUDE = '.git/info/exclude';
const COMMANDS = '.claude/commands/holdfast';
const SKILL = '.claude/skills/holdfast';
const EVENTS = [
  'FileChanged',
  'PostCompact',
  'PostToolUse',
  'PostToolUse',
  'PreCompact',
  'PreToolUse',
  'SessionEnd',
  'SessionStart',
  'SubagentStart',
  'UserPromptExpansion',
  'UserPromptSubmit',
];

const otherHooks = {
  hooks: {
    Stop: [{ hooks: [{ type: 'command', command: 'say done' }] }],
    SessionStart: [
      {
        matcher: 'startup',
        hooks: [{ type: 'command', command: 'git fetch' }],
      },
    ],
  },
  model: 'opus',
};
const spread = (json: unknown, indent: string | number = 2): string =>
  `${JSON.stringify(json, null, indent)}\n`;

const read = (box: Sandbox, path: string): string =>
  fse.readFileSync(join(box.root, path), 'utf8');
const write = (box: Sandbox, path: string, text: string | Uint8Array): void =>
  fse.outputFileSync(join(box.root, path), text);
const names = (box: Sandbox, path: string): string[] =>
  fse.readdirSync(join(box.root, path)).toSorted();
const has = (box: Sandbox, path: string): boolean =>
  fse.existsSync(join(box.root, path));

/** The events of our hooks, one for each time that one is registered. */
const ours = (text: string): string[] =>
  Object.entries(JSON.parse(text.replace(/^\uFEFF/, '')).hooks ?? {})
    .flatMap(([event, groups]) =>
      [...JSON.stringify(groups).matchAll(/holdfast\/bin\/hook\.sh/g)].map(
        () => event,
      ),
    )
    .toSorted();

const init = (box: Sandbox, ...words: string[]): string =>
  box.run(['init', ...words]).stdout;
const uninstall = (box: Sandbox, ...words: string[]): string =>
  box.run(['uninstall', ...words]).stdout;

const unchanged = 'nothing had to change';

it.each<[title: string, before: string]>([
  ['an empty file', ''],
  ['other hooks, with tabs', spread(otherHooks, '\t')],
  ['a BOM and CRLF', `\uFEFF${spread(otherHooks).replaceAll('\n', '\r\n')}`],
  [
    'one line',
    '{"permissions":{"allow":["Bash(ls:*)"]},"hooks":{"Stop":[],"SessionStart":[]}}',
  ],
  [
    'rules of the user',
    '{\n\t"permissions": {"deny": ["Read(.env)"], "allow": ["Bash(ls:*)",\n "Bash(holdfast status:*)"]}\r\n}',
  ],
])(
  'settings that begin as %s get each hook once, and are the same bytes again after uninstall',
  (_title, before) => {
    const box = sandbox({ [LOCAL]: before });
    init(box);
    const installed = read(box, LOCAL);
    expect(ours(installed)).toEqual(EVENTS);
    expect(init(box)).toContain(unchanged);
    expect(read(box, LOCAL)).toBe(installed);
    uninstall(box);
    expect(read(box, LOCAL)).toBe(before);
  },
);

describe('settings', () => {
  it('keep an edit by hand, rules that were added since, and their permissions', () => {
    const box = sandbox({
      [LOCAL]: spread({ permissions: { allow: ['Bash(holdfast list:*)'] } }),
    });
    fse.chmodSync(join(box.root, LOCAL), 0o600);
    init(box);
    // The record has a copy of them.
    for (const path of [LOCAL, '../home/.claude/holdfast/installs.json'])
      expect(fse.statSync(join(box.root, path)).mode & 0o777).toBe(0o600);
    write(box, LOCAL, read(box, LOCAL).replace('{', '{"mine": [1,   2],'));
    write(
      box,
      LOCAL,
      read(box, LOCAL).replace('"allow": [', '"allow": ["Bash(npm test:*)",'),
    );
    init(box);
    uninstall(box);
    expect(read(box, LOCAL)).toContain('"mine": [1,   2]');
    expect(JSON.parse(read(box, LOCAL))).toEqual({
      mine: [1, 2],
      permissions: { allow: ['Bash(npm test:*)', 'Bash(holdfast list:*)'] },
    });
  });

  it('that are a link stay a link, and their target is edited; a circle is refused', () => {
    const box = sandbox({
      'dotfiles/claude.json': spread(otherHooks),
      '.claude/x': '',
    });
    fse.symlinkSync('../dotfiles/claude.json', join(box.root, LOCAL));
    init(box);
    expect(ours(read(box, 'dotfiles/claude.json'))).toEqual(EVENTS);
    uninstall(box);
    expect(read(box, 'dotfiles/claude.json')).toBe(spread(otherHooks));
    expect(fse.lstatSync(join(box.root, LOCAL)).isSymbolicLink()).toBe(true);
    fse.rmSync(join(box.root, LOCAL));
    fse.symlinkSync('other.json', join(box.root, LOCAL));
    fse.symlinkSync(
      'settings.local.json',
      join(box.root, '.claude/other.json'),
    );
    expect(box.run(['init'], { code: 1 }).stderr).toContain('is not a file');
  });

  it.each<[title: string, text: string | Uint8Array, said: string]>([
    [
      'a comment',
      '{\n  // mine\n  "a": 1\n}\n',
      ':2: not strict JSON (a comment)',
    ],
    ['hooks as a list', '{"hooks": []}', ': "hooks" is not in the format'],
    ['no UTF-8', Uint8Array.from([0x7b, 0xff, 0x7d]), 'is not UTF-8 text'],
  ])(
    'with %s are refused, and nothing is changed at all',
    (_title, text, said) => {
      const box = sandbox();
      write(box, LOCAL, text);
      const { stderr } = box.run(['init'], { code: 1 });
      expect(stderr).toContain(said);
      expect(fse.readFileSync(join(box.root, LOCAL))).toEqual(
        Buffer.from(text as string),
      );
      expect(names(box, '.claude')).toEqual(['settings.local.json']);
      expect(names(box, '.git')).toEqual([]);
      expect(fse.readdirSync(box.home)).toEqual([]);
    },
  );
});

describe('the status line', () => {
  it.each([
    JSON.stringify({
      statusLine: { type: 'command', command: `echo "it's"`, padding: 2 },
    }),
    `{\r\n\t"statusLine" : {"padding":0,  "command": "~/line.sh","type":"command"},\r\n\t"model": "opus"\r\n}\r\n`,
  ])(
    'of the user comes back byte for byte, also where something else was edited: %j',
    (before) => {
      const box = sandbox({ [LOCAL]: before });
      init(box, '--statusline');
      expect(JSON.parse(read(box, LOCAL)).statusLine.command).toContain(
        'statusline',
      );
      expect(init(box)).toContain(unchanged);
      write(box, LOCAL, read(box, LOCAL).replace('{', '{ "mine": 1,'));
      uninstall(box);
      expect(read(box, LOCAL)).toBe(before.replace('{', '{ "mine": 1,'));
    },
  );
});

describe.each(['local', 'project', 'user'])(
  'the MCP server in scope %s',
  (scope) => {
    const fileOf = (box: Sandbox): string =>
      scope === 'project'
        ? join(box.root, '.mcp.json')
        : join(box.home, '.claude.json');
    const textOf = (box: Sandbox): string | null =>
      fse.existsSync(fileOf(box))
        ? fse.readFileSync(fileOf(box), 'utf8')
        : null;
    const holdfastIn = (box: Sandbox): unknown => {
      const json = JSON.parse((textOf(box) ?? '').replace(/^\uFEFF/, ''));
      return (scope === 'local' ? json.projects[box.root] : json).mcpServers
        ?.holdfast;
    };
    const at = ['--scope', scope];
    const others = {
      mcpServers: { other: { command: 'x' } },
      projects: { ROOT: { allowedTools: [] } },
    };

    it('goes in beside others and out without a trace, and does not come back after it was taken out', () => {
      const box = sandbox();
      const text = `\uFEFF${spread(others, '\t').replaceAll('\n', '\r\n')}`;
      for (const before of [null, text.replace('ROOT', box.root)]) {
        if (before !== null) fse.writeFileSync(fileOf(box), before);
        init(box, ...at);
        expect(textOf(box)).toBe(before);
        init(box, ...at, '--mcp');
        expect(holdfastIn(box)).toMatchObject({ command: expect.any(String) });
        expect(init(box, ...at)).toContain(unchanged);
        uninstall(box, ...at);
        expect(textOf(box)).toBe(before);
      }
      init(box, ...at, '--mcp');
      fse.writeFileSync(fileOf(box), '{"numStartups": 3}\n');
      init(box, ...at);
      uninstall(box, ...at);
      expect(textOf(box)).toBe('{"numStartups": 3}\n');
    });

    it('leaves alone a server of somebody else, and files that the host would not read', () => {
      const box = sandbox();
      const servers = {
        mcpServers: { holdfast: { command: 'holdfast', args: ['mcp'] } },
      };
      const theirs = spread(
        scope === 'local' ? { projects: { [box.root]: servers } } : servers,
      );
      for (const text of ['{"a": 1,}', '{"mcpServers": [], "projects": 1}']) {
        fse.writeFileSync(fileOf(box), text);
        box.run(['init', ...at, '--mcp'], { code: 1 });
        expect(textOf(box)).toBe(text);
        expect(has(box, '.claude')).toBe(false);
      }
      fse.writeFileSync(fileOf(box), theirs);
      expect(box.run(['init', ...at, '--mcp']).stderr).toContain('holdfast');
      uninstall(box, ...at);
      expect(textOf(box)).toBe(theirs);
    });
  },
);

it('the MCP server of a worktree stands where the host looks: with the main tree', () => {
  const box = sandbox({ '../main/.git/worktrees/tree/commondir': '../..\n' });
  fse.rmSync(join(box.root, '.git'), { recursive: true });
  write(box, '.git', 'gitdir: ../main/.git/worktrees/tree\n');
  write(box, '../main/.git/worktrees/tree/gitdir', `${box.root}/.git\n`);
  init(box, '--mcp');
  const { projects } = JSON.parse(
    fse.readFileSync(join(box.home, '.claude.json'), 'utf8'),
  );
  expect(Object.keys(projects)).toEqual([join(dirname(box.root), 'main')]);
});

describe('slash commands and the module', () => {
  const STATUS = `${COMMANDS}/status.md`;
  const CODE = `${SKILL}/hooks/register.js`;

  it('that the user changed are kept and named', () => {
    const box = sandbox();
    init(box);
    write(box, STATUS, `${read(box, STATUS)}Answer in Welsh.\n`);
    write(box, CODE, '// mine\n');
    const { stderr } = box.run(['uninstall']);
    for (const path of [STATUS, CODE]) expect(stderr).toContain(path);
    expect(read(box, STATUS)).toContain('Answer in Welsh.');
    expect(names(box, COMMANDS)).toEqual(['status.md']);
    expect(names(box, `${SKILL}/hooks`)).toEqual(['register.js']);
  });

  it.each([STATUS, CODE])(
    'never replace a file of somebody else: %s',
    (path) => {
      const box = sandbox();
      const content = Buffer.from([0, 0xff, 0xfe]);
      write(box, path, content);
      expect(box.run(['init']).stderr).toContain(
        `${path} does not belong to holdfast`,
      );
      // A part of the module is no module.
      expect(has(box, `${SKILL}/program.json`)).toBe(path === STATUS);
      uninstall(box);
      expect(fse.readFileSync(join(box.root, path))).toEqual(content);
    },
  );
});

function repository(tree: Record<string, string> = {}): Sandbox {
  const box = sandbox(tree);
  git(box, 'init', '-q');
  fse.rmSync(join(box.root, '.git/info'), { recursive: true, force: true });
  return box;
}

describe('what git shows', () => {
  it('is nothing of a local installation, and the exclude file keeps lines of the user', () => {
    const box = repository({ 'cfg/x': '' });
    write(box, EXCLUDE, '# mine\n*.log');
    git(box, 'add', '.');
    init(box);
    expect(git(box, 'status', '--porcelain')).toBe('A  cfg/x\n');
    write(box, EXCLUDE, `${read(box, EXCLUDE)}*.tmp\n`);
    uninstall(box);
    expect(read(box, EXCLUDE)).toBe('# mine\n*.log\n*.tmp\n');
  });

  it('is all of a project installation, which a colleague does not change with one of their own', () => {
    const box = repository();
    init(box, '--scope', 'project');
    expect(has(box, EXCLUDE)).toBe(false);
    git(box, 'add', '.');
    git(box, 'commit', '-qm', 'hooks');
    fse.rmSync(join(box.home, '.claude'), { recursive: true });
    expect(uninstall(box)).toContain('not installed');
    init(box);
    expect(has(box, `${SKILL}/program.json`)).toBe(true);
    expect(git(box, 'status', '--porcelain', '-uall')).toBe('');
    uninstall(box);
    expect(git(box, 'status', '--porcelain', '-uall')).toBe('');
    uninstall(box, '--scope', 'project');
    expect(names(box, '.')).toEqual(['.git']);
  });

  it('is not hidden through a link out of git', () => {
    const box = sandbox();
    const profile = join(box.home, 'profile');
    fse.outputFileSync(join(profile, 'exclude'), 'export A=b\n');
    fse.symlinkSync(profile, join(box.root, '.git/info'));
    expect(box.run(['init'], { code: 1 }).stderr).toContain(
      'exists but is not a file',
    );
    expect(fse.readFileSync(join(profile, 'exclude'), 'utf8')).toBe(
      'export A=b\n',
    );
    expect(has(box, '.claude')).toBe(false);
  });
});

describe('several projects', () => {
  it('share the copy that hooks run from until the last is uninstalled, moved or not', () => {
    const box = sandbox({
      '../two/.git/info/exclude': '*.log\n',
      [EXCLUDE]: '*.log\n',
    });
    const two = join(box.root, '../two');
    init(box);
    box.run(['init'], { cwd: two });
    write(box, '../home/.claude/holdfast/trusted.json', '{}');
    uninstall(box);
    expect(
      fse.existsSync(join(box.home, '.claude/holdfast/dist/hook.cjs')),
    ).toBe(true);
    fse.renameSync(two, join(box.root, '../moved'));
    box.run(['uninstall'], { cwd: join(box.root, '../moved') });
    expect(names(box, '../moved')).toEqual(['.git']);
    expect(read(box, '../moved/.git/info/exclude')).toBe('*.log\n');
    expect(fse.readdirSync(join(box.home, '.claude/holdfast'))).toEqual([
      'trusted.json',
    ]);
  });

  it('installed at the same time all stay on record', async () => {
    const box = sandbox({
      '../a/.git/x': '',
      '../b/.git/x': '',
      '../c/.git/x': '',
    });
    const env = { PATH: process.env['PATH'], HOME: box.home };
    const folders = ['a', 'b', 'c'].map((name) => join(box.root, '..', name));
    const call = promisify(execFile);
    await Promise.all(
      folders.map((cwd) =>
        call(process.execPath, [binary, 'init'], { cwd, env }),
      ),
    );
    for (const cwd of folders) box.run(['uninstall'], { cwd });
    expect(fse.readdirSync(box.home)).toEqual([]);
    for (const folder of folders)
      expect(fse.readdirSync(folder)).toEqual(['.git']);
  });
});

describe('a failure changes nothing', () => {
  it.each([
    ['a file is in the place of a folder', '.claude/skills'],
    ['the settings cannot be written', LOCAL],
  ])('of init, where %s', (_why, path) => {
    const box = sandbox({ [path]: '{}' });
    fse.chmodSync(join(box.root, path), 0o444);
    const { stderr } = box.run(['init'], { code: 1 });
    if (path === LOCAL) expect(stderr).toContain('nothing was changed');
    expect(names(box, '.claude')).toEqual([basename(path)]);
    expect(names(box, '.git')).toEqual([]);
    expect(fse.readdirSync(box.home)).toEqual([]);
  });

  it('of uninstall, where the exclude file cannot be written', () => {
    const box = sandbox({ [LOCAL]: '{}', [EXCLUDE]: '*.log' });
    init(box);
    const installed = read(box, LOCAL);
    fse.chmodSync(join(box.root, EXCLUDE), 0o444);
    box.run(['uninstall'], { code: 1 });
    expect(read(box, LOCAL)).toBe(installed);
    expect(has(box, `${COMMANDS}/status.md`)).toBe(true);
    fse.chmodSync(join(box.root, EXCLUDE), 0o644);
    uninstall(box);
    expect([read(box, LOCAL), read(box, EXCLUDE)]).toEqual(['{}', '*.log']);
  });
});

it.each(['local', 'project'])(
  'the home folder is no project of scope %s',
  (scope) => {
    const box = sandbox();
    fse.symlinkSync(join(box.home, '.claude'), join(box.root, '.claude'));
    fse.mkdirSync(join(box.home, '.claude'));
    for (const cwd of [box.home, box.root]) {
      const { stderr } = box.run(['init', '--scope', scope], { code: 1, cwd });
      expect(stderr).toContain('--scope user');
    }
  },
);
