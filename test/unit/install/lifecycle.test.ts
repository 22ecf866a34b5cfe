import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { HoldfastError } from '../../../src/errors/holdfast-error.ts';
import { isOurHook } from '../../../src/install/plan/hook-command.ts';
import { placesOfHooks, unmarked } from '../../../src/install/plan/settings-hooks.ts';
import { installer } from '../../support/installation.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { saying } from '../../support/failures.ts';

const SETTINGS = '.claude/settings.local.json';

const otherHooks = {
  hooks: {
    Stop: [{ hooks: [{ type: 'command', command: 'say done' }] }],
    SessionStart: [{ matcher: 'startup', hooks: [{ type: 'command', command: 'git fetch' }] }],
  },
  model: 'opus',
};
const spread = (json: unknown, indent: string | number = 2): string =>
  `${JSON.stringify(json, null, indent)}\n`;
const inOneLine = '{"permissions":{"allow":["Bash(ls:*)"]},"hooks":{"Stop":[]}}';
const odd =
  '{\n  "env": { "A": "1",   "B": "\\u00e9" },\n\n\n  "numbers": [1.0, 1e3,2 ],\n  "hooks": {}\n}';

function manyLines(count: number): string {
  return spread({ big: Array.from({ length: count }, (_, index) => `line ${index} of many more`) });
}

/** The files that exist before anything is installed. */
const starts: [name: string, text: string][] = [
  ['an empty file', ''],
  ['a blank file', ' \n'],
  ['an empty object', '{}'],
  ['an empty object over two lines', '{\n}\n'],
  ['other hooks', spread(otherHooks)],
  ['tabs', spread(otherHooks, '\t')],
  ['four spaces', spread(otherHooks, 4)],
  ['a BOM', `\uFEFF${spread(otherHooks)}`],
  ['CRLF', spread(otherHooks).replaceAll('\n', '\r\n')],
  ['one line', inOneLine],
  ['an odd layout', odd],
  ['no newline at the end', JSON.stringify(otherHooks, null, 2)],
  ['an empty list for one of our events', spread({ hooks: { SessionStart: [], PreCompact: [] } })],
  ['50 KB', manyLines(1_000)],
  ['keys of every object', '{"__proto__": {"a": 1}, "constructor": 2, "toString": []}\n'],
];

function ours(text: string): string[] {
  return placesOfHooks(JSON.parse(unmarked(text)))
    .filter(({ hook }) => isOurHook(hook))
    .map(({ event }) => event);
}

const EVENTS = [
  'PostCompact',
  'PostToolUse',
  'PreCompact',
  'SessionEnd',
  'SessionStart',
  'UserPromptSubmit',
];

describe.each(starts)('settings that begin as %s', (_, before) => {
  test('are the same bytes again after init and uninstall', () => {
    const project = makeProject({ [SETTINGS]: before });
    const { init, uninstall } = installer(project, 'local');
    init();
    expect(ours(project.read(SETTINGS)).toSorted()).toEqual(EVENTS);
    uninstall();
    expect(project.read(SETTINGS)).toBe(before);
  });

  test('are not changed by a second init', () => {
    const project = makeProject({ [SETTINGS]: before });
    const { init, uninstall } = installer(project, 'local');
    init();
    const installed = project.read(SETTINGS);
    expect(init().changes).toEqual([]);
    expect(project.read(SETTINGS)).toBe(installed);
    uninstall();
    expect(project.read(SETTINGS)).toBe(before);
  });

  test('are the same bytes again after an update', () => {
    const project = makeProject({ [SETTINGS]: before });
    const { init, uninstall } = installer(project, 'local');
    init('1.0.0');
    init('2.0.0');
    expect(project.read(SETTINGS)).toContain('/2.0.0/bin/hook.sh');
    expect(ours(project.read(SETTINGS)).toSorted()).toEqual(EVENTS);
    uninstall();
    expect(project.read(SETTINGS)).toBe(before);
  });

  test('keep an edit by hand through an update and an uninstall', () => {
    const project = makeProject({ [SETTINGS]: before });
    const { init, uninstall } = installer(project, 'local');
    init('1.0.0');
    const edited = project.read(SETTINGS).replace('{', '{"mine": [1,   2],');
    project.write(SETTINGS, edited);
    init('2.0.0');
    uninstall();
    const left = project.read(SETTINGS);
    expect(left).toContain('"mine": [1,   2]');
    const given = before.trim() === '' ? {} : JSON.parse(unmarked(before));
    expect(withoutEmptyHooks(JSON.parse(unmarked(left)))).toEqual(
      withoutEmptyHooks({ mine: [1, 2], ...given }),
    );
  });

  test('keep everything but our entries where the record of the installation is lost', () => {
    const project = makeProject({ [SETTINGS]: before });
    const { config, init, uninstall } = installer(project, 'local');
    init();
    rmSync(join(config, 'holdfast/installs.json'));
    uninstall();
    const given = before.trim() === '' ? {} : JSON.parse(unmarked(before));
    const left = project.exists(SETTINGS) ? project.read(SETTINGS) : '{}';
    expect(withoutEmptyHooks(JSON.parse(unmarked(left)))).toEqual(withoutEmptyHooks(given));
  });
});

test('a megabyte of settings is the same bytes again after init and uninstall', () => {
  const before = manyLines(20_000);
  const project = makeProject({ [SETTINGS]: before });
  const { init, uninstall } = installer(project, 'local');
  init();
  expect(ours(project.read(SETTINGS)).toSorted()).toEqual(EVENTS);
  uninstall();
  expect(project.read(SETTINGS)).toBe(before);
});

/** An empty list or object of hooks means nothing to the host. */
function withoutEmptyHooks({ hooks, ...rest }: Record<string, unknown>): object {
  const filled = Object.entries(hooks ?? {}).filter(([, groups]) => groups.length > 0);
  return filled.length === 0 ? rest : { ...rest, hooks: Object.fromEntries(filled) };
}

describe('settings that are not there', () => {
  it('are made, and nothing of them is left', () => {
    const project = makeProject();
    const { init, uninstall } = installer(project, 'local');
    init();
    expect(ours(project.read(SETTINGS)).toSorted()).toEqual(EVENTS);
    uninstall();
    expect(readdirSync(project.root)).toEqual([]);
    expect(readdirSync(project.outside).filter((name) => name === 'home')).toEqual([]);
  });

  it('stay where somebody has added to them since', () => {
    const project = makeProject();
    const { init, uninstall } = installer(project, 'local');
    init();
    project.write(SETTINGS, project.read(SETTINGS).replace('{', '{"model": "opus",'));
    uninstall();
    expect(project.json(SETTINGS)).toEqual({ model: 'opus' });
  });
});

test('the hook that blocks tools goes with the setting that asked for it', () => {
  const project = makeProject();
  const { init } = installer(project, 'local');
  init('1.0.0', true);
  expect(ours(project.read(SETTINGS))).toContain('PreToolUse');
  init('1.0.0', false);
  expect(ours(project.read(SETTINGS))).not.toContain('PreToolUse');
});

describe('a link', () => {
  it('is followed to its target, and stays a link', () => {
    const project = makeProject({ 'dotfiles/claude.json': spread(otherHooks) });
    project.link(SETTINGS, '../dotfiles/claude.json');
    const { init, uninstall } = installer(project, 'local');
    init();
    expect(ours(project.read('dotfiles/claude.json')).toSorted()).toEqual(EVENTS);
    expect(lstatSync(project.at(SETTINGS)).isSymbolicLink()).toBe(true);
    uninstall();
    expect(project.read('dotfiles/claude.json')).toBe(spread(otherHooks));
    expect(lstatSync(project.at(SETTINGS)).isSymbolicLink()).toBe(true);
  });

  it('that leads in a circle is refused', () => {
    const project = makeProject();
    project.link(SETTINGS, 'other.json');
    project.link('.claude/other.json', 'settings.local.json');
    expect(() => installer(project, 'local').init()).toThrow(saying('is not a file'));
  });
});

describe('what the host would not read is refused with the line, and left as it is', () => {
  const refused: [name: string, text: string, message: string][] = [
    ['a comment', '{\n  // mine\n  "a": 1\n}\n', ':2: not strict JSON (a comment)'],
    ['a trailing comma', '{\n  "a": [1, 2],\n}\n', ':2: not strict JSON (a trailing comma)'],
    ['half a file', '{\n  "a": {\n', ':3: not strict JSON'],
    ['hooks as a list', '{"hooks": []}', ': "hooks" is not in the format'],
    ['an event as an object', '{"hooks": {"Stop": {}}}', ': "hooks.Stop" is not in the format'],
    ['a list', '[]', ': the file is not in the format'],
    [
      'a group that is not an object',
      '{"hooks": {"Stop": [null]}}',
      ': "hooks.Stop[0]" is not in the format',
    ],
    [
      'a group of another kind',
      '{"hooks": {"Stop": [1]}}',
      ': "hooks.Stop[0]" is not in the format',
    ],
    [
      'a group with no list',
      '{"hooks": {"Stop": [{"hooks": []}, {"hooks": null}]}}',
      ': "hooks.Stop[1]" is not in the format',
    ],
    [
      'a matcher alone',
      '{"hooks": {"Stop": [{"matcher": ""}]}}',
      ': "hooks.Stop[0]" is not in the format',
    ],
    [
      'a command that is missing',
      '{"hooks": {"Stop": [{"hooks": [{"type": "command"}]}]}}',
      ': "hooks.Stop[0].hooks[0]" is not in the format',
    ],
  ];
  test.each(refused)('%s', (_, text, message) => {
    const project = makeProject({ [SETTINGS]: text });
    const { init } = installer(project, 'local');
    expect(() => init()).toThrow(saying(message));
    expect(project.read(SETTINGS)).toBe(text);
    expect(existsSync(project.at('.claude/commands'))).toBe(false);
  });

  it('bytes that are no UTF-8', () => {
    const project = makeProject();
    project.write(SETTINGS, Uint8Array.from([0x7b, 0xff, 0x7d]));
    expect(() => installer(project, 'local').init()).toThrow(saying('is not UTF-8 text'));
  });

  it('a file that is read-only', () => {
    const project = makeProject({ [SETTINGS]: '{}' });
    chmodSync(project.at(SETTINGS), 0o444);
    expect(() => installer(project, 'local').init()).toThrow(HoldfastError);
    expect(project.read(SETTINGS)).toBe('{}');
  });

  it('a folder in its place', () => {
    const project = makeProject({ [`${SETTINGS}/file`]: '' });
    expect(() => installer(project, 'local').init()).toThrow(saying('exists but is not a file'));
  });
});

describe('the slash commands and the skill', () => {
  const STATUS = '.claude/commands/holdfast/status.md';

  it('are brought up to date, and gone after an uninstall', () => {
    const project = makeProject();
    const { init, uninstall } = installer(project, 'local');
    init('1.0.0');
    expect(project.read(STATUS)).toContain('!`holdfast status`');
    init('2.0.0');
    expect(project.read(STATUS)).toContain('!`holdfast-2.0.0 status`');
    uninstall();
    expect(existsSync(project.at('.claude'))).toBe(false);
  });

  it('are left alone where the user changed them, and named', () => {
    const project = makeProject();
    const { init, uninstall } = installer(project, 'local');
    init('1.0.0');
    project.write(STATUS, `${project.read(STATUS)}Answer in Welsh.\n`);
    expect(init('2.0.0').kept).toEqual([project.at(STATUS)]);
    expect(uninstall().kept).toEqual([project.at(STATUS)]);
    expect(project.read(STATUS)).toContain('Answer in Welsh.');
    expect(project.names('.claude/commands/holdfast')).toEqual(['status.md']);
  });

  it('never replace a file of the same name', () => {
    const project = makeProject({ [STATUS]: 'my own status command' });
    const { init, uninstall } = installer(project, 'local');
    expect(init()).toMatchObject({ kept: [], foreign: [project.at(STATUS)] });
    expect(uninstall().kept).toEqual([]);
    expect(project.read(STATUS)).toBe('my own status command');
  });
});

describe('what git shows', () => {
  const excluded = (project: Project): string => project.read('.git/info/exclude');

  it('is nothing of a local installation, and the exclude file is as it was afterwards', () => {
    const project = makeProject({ '.git/info/exclude': '# mine\n*.log' });
    const { init, uninstall } = installer(project, 'local');
    init();
    expect(excluded(project)).toContain('\n/.claude/settings.local.json\n');
    expect(excluded(project)).toContain('\n/.claude/commands/holdfast/\n');
    uninstall();
    expect(excluded(project)).toBe('# mine\n*.log');
  });

  it('keeps what was added to the exclude file since', () => {
    const project = makeProject({ '.git/info/exclude': '*.log\n' });
    const { init, uninstall } = installer(project, 'local');
    init();
    project.write('.git/info/exclude', `${excluded(project)}*.tmp\n`);
    uninstall();
    expect(excluded(project)).toBe('*.log\n*.tmp\n');
  });

  it('is all of a project installation', () => {
    const project = makeProject({ '.git/HEAD': 'ref: refs/heads/main' });
    installer(project, 'project').init();
    expect(existsSync(project.at('.git/info/exclude'))).toBe(false);
  });

  it('counts from the top of the repository where the project is a part of it', () => {
    const project = makeProject({ '.git/HEAD': 'ref: refs/heads/main', 'part/.claude/x': '' });
    const part = {
      ...project,
      root: project.at('part'),
      at: (path: string) => project.at(`part/${path}`),
    };
    installer(part, 'local').init();
    expect(excluded(project)).toContain('\n/part/.claude/settings.local.json\n');
  });

  it('stays hidden for a worktree that shares the exclude file with another', () => {
    const project = makeProject({
      'main/.git/HEAD': 'ref: refs/heads/main',
      'main/.git/objects/info/packs': '',
      'main/.git/refs/heads/main': '',
      'main/.git/worktrees/two/commondir': '../..',
      'two/.git': '',
    });
    project.write('two/.git', `gitdir: ${project.at('main/.git/worktrees/two')}\n`);
    const at = (name: string) => installer({ ...project, root: project.at(name) }, 'local');
    at('main').init();
    at('two').init();
    at('main').uninstall();
    expect(project.read('main/.git/info/exclude')).toContain('/.claude/settings.local.json');
    at('two').uninstall();
    expect(existsSync(project.at('main/.git/info'))).toBe(false);
  });
});

describe('two installations in one repository', () => {
  const orders = [
    ['a', 'b'],
    ['b', 'a'],
  ] as const;
  it.each(orders)(
    'are hidden by one exclude file, and gone without a trace: first %s, then %s',
    (...order) => {
      const project = makeProject({ '.git/info/exclude': '*.log\n', 'a/x': '', 'b/x': '' });
      const at = (name: string) => installer({ ...project, root: project.at(name) }, 'local');
      at('a').init();
      at('b').init();
      for (const name of order) at(name).uninstall();
      expect(project.read('.git/info/exclude')).toBe('*.log\n');
      expect(existsSync(at('a').config)).toBe(false);
    },
  );
});

describe('the copy that hooks run from', () => {
  it('stays as long as one project uses it', () => {
    const project = makeProject();
    const at = (name: string) => {
      project.write(`${name}/.git/HEAD`, '');
      return installer({ ...project, root: project.at(name) }, 'local');
    };
    const [one, two] = [at('one'), at('two')];
    const hook = join(one.config, 'holdfast/dist/hook.cjs');
    one.init();
    two.init();
    one.uninstall();
    expect(existsSync(hook)).toBe(true);
    two.uninstall();
    expect(existsSync(one.config)).toBe(false);
  });

  it('keeps what is not ours beside it', () => {
    const project = makeProject();
    const { config, init, uninstall } = installer(project, 'user');
    init();
    project.write('../outside/home/.claude/holdfast/trusted.json', '{}');
    uninstall();
    expect(readdirSync(join(config, 'holdfast'))).toEqual(['trusted.json']);
  });

  it('keeps the permissions of the settings, and shows the copy of them to nobody else', () => {
    const project = makeProject({ [SETTINGS]: '{}' });
    chmodSync(project.at(SETTINGS), 0o600);
    const { config, init } = installer(project, 'local');
    init();
    expect(statSync(project.at(SETTINGS)).mode & 0o777).toBe(0o600);
    const backups = join(config, 'holdfast/backups');
    expect(readdirSync(backups).map((name) => statSync(join(backups, name)).mode & 0o777)).toEqual([
      0o600,
    ]);
  });
});

describe('a user installation', () => {
  it('writes nothing into the project', () => {
    const project = makeProject({ '.git/HEAD': '' });
    const { config, init } = installer(project, 'user');
    init();
    expect(project.names('.')).toEqual(['.git']);
    expect(project.names('.git')).toEqual(['HEAD']);
    expect(ours(readFileSync(join(config, 'settings.json'), 'utf8')).toSorted()).toEqual(EVENTS);
  });

  it('is hidden from git where the home folder is a repository', () => {
    const project = makeProject();
    const { init, uninstall } = installer(project, 'user');
    project.write('../outside/home/.git/HEAD', '');
    init();
    expect(project.read('../outside/home/.git/info/exclude')).toContain(
      '\n/.claude/settings.json\n',
    );
    uninstall();
    expect(project.names('../outside/home')).toEqual(['.git']);
  });
});
