import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { installer } from '../../support/installation.ts';
import { makeProject } from '../../support/project.ts';
import { makeRepository } from '../../support/repository.ts';

const SETTINGS = '.claude/settings.local.json';
const EXCLUDE = '.git/info/exclude';
const COMMANDS = '.claude/commands/holdfast';

describe('a project that was moved', () => {
  test('keeps nothing after an uninstall', () => {
    const project = makeProject({ 'a/.git/info/exclude': '*.log\n' });
    const at = (name: string) => installer({ ...project, root: project.at(name) }, 'local');
    at('a').init();
    renameSync(project.at('a'), project.at('b'));
    at('b').uninstall();
    expect(project.names('b')).toEqual(['.git']);
    expect(project.read('b/.git/info/exclude')).toBe('*.log\n');
    expect(existsSync(at('b').config)).toBe(false);
  });

  test('keeps settings of its own', () => {
    const project = makeProject({ [`a/${SETTINGS}`]: '{"model": "opus"}' });
    const at = (name: string) => installer({ ...project, root: project.at(name) }, 'local');
    at('a').init();
    renameSync(project.at('a'), project.at('b'));
    at('b').uninstall();
    expect(project.json(`b/${SETTINGS}`)).toEqual({ model: 'opus' });
  });
});

describe('a project that was deleted', () => {
  test('keeps the copy no longer than the last other one', () => {
    const project = makeProject({ [`a/${SETTINGS}`]: '{"secret": 1}', 'b/x': '' });
    const at = (name: string) => installer({ ...project, root: project.at(name) }, 'local');
    at('a').init();
    at('b').init();
    rmSync(project.at('a'), { recursive: true });
    at('b').uninstall();
    expect(existsSync(at('b').config)).toBe(false);
  });

  test('leaves no copy of its settings behind', () => {
    const project = makeProject({ [`a/${SETTINGS}`]: '{"secret": 1}', 'b/x': '' });
    const at = (name: string) => installer({ ...project, root: project.at(name) }, 'local');
    at('a').init();
    expect(readdirSync(`${at('a').config}/holdfast`)).toContain('backups');
    rmSync(project.at('a'), { recursive: true });
    at('b').init();
    expect(readdirSync(`${at('a').config}/holdfast`)).not.toContain('backups');
    at('b').uninstall();
    expect(existsSync(at('b').config)).toBe(false);
  });

  test('is shown by git no more and no less than before, where a part of a repository was deleted', () => {
    const project = makeProject({ [EXCLUDE]: '*.log\n', 'a/x': '', 'b/x': '' });
    const at = (name: string) => installer({ ...project, root: project.at(name) }, 'local');
    at('a').init();
    rmSync(project.at('a'), { recursive: true });
    at('b').init();
    expect(project.read(EXCLUDE)).not.toContain('/a/');
    at('b').uninstall();
    expect(project.read(EXCLUDE)).toBe('*.log\n');
  });
});

test('a project that was installed under another CLAUDE_CONFIG_DIR keeps nothing after an uninstall', () => {
  const project = makeProject({ [EXCLUDE]: '*.log\n' });
  installer(project, 'local').init();
  const other = installer({ ...project, outside: project.at('../outside/another') }, 'local');
  other.uninstall();
  expect(project.names('.')).toEqual(['.git']);
  expect(project.read(EXCLUDE)).toBe('*.log\n');
  expect(existsSync(other.config)).toBe(false);
});

test('what a killed init left half-written goes with the uninstall', () => {
  const project = makeProject({ [EXCLUDE]: '*.log\n' });
  const { config, init, uninstall } = installer(project, 'local');
  init();
  project.write('.claude/.settings.local.json.holdfast-123', '{');
  project.write(`${COMMANDS}/.status.md.holdfast-123`, '');
  project.write('.git/info/.exclude.holdfast-123', '');
  project.write('../outside/home/.claude/holdfast/backups/.x.holdfast-123', '{');
  uninstall();
  expect(project.names('.')).toEqual(['.git']);
  expect(project.names('.git/info')).toEqual(['exclude']);
  expect(existsSync(config)).toBe(false);
});

describe('files of the user beside ours', () => {
  test('are neither read nor named nor in the way', () => {
    const project = makeProject();
    const { init, uninstall } = installer(project, 'local');
    project.write(`${COMMANDS}/.DS_Store`, new Uint8Array([0, 0xff, 0xfe]));
    project.write(`${COMMANDS}/odd.md`, new Uint8Array([0, 0xff, 0xfe]));
    project.write(`${COMMANDS}/mine.md`, 'my command');
    expect(init()).toMatchObject({ kept: [], foreign: [] });
    init();
    expect(uninstall()).toMatchObject({ kept: [], foreign: [] });
    expect(project.names(COMMANDS)).toEqual(['.DS_Store', 'mine.md', 'odd.md']);
  });

  test('also without a record', () => {
    const project = makeProject();
    const { config, init, uninstall } = installer(project, 'local');
    init();
    project.write(`${COMMANDS}/.DS_Store`, new Uint8Array([0, 0xff, 0xfe]));
    project.write(`${COMMANDS}/odd.md`, new Uint8Array([0, 0xff, 0xfe]));
    rmSync(`${config}/holdfast/installs.json`);
    expect(uninstall().kept).toEqual([]);
    expect(project.names(COMMANDS)).toEqual(['.DS_Store', 'odd.md']);
  });

  test('in the place of ours are left alone, whatever they are', () => {
    const project = makeProject();
    const status = `${COMMANDS}/status.md`;
    project.write(status, new Uint8Array([0, 0xff, 0xfe]));
    const { init, uninstall } = installer(project, 'local');
    expect(init().foreign).toEqual([project.at(status)]);
    uninstall();
    expect(project.names(COMMANDS)).toEqual(['status.md']);
  });
});

describe('settings that were edited and installed into again', () => {
  test('are removed if init had made them and only ours is in them', () => {
    const project = makeProject();
    const { init, uninstall } = installer(project, 'local');
    init();
    project.write(SETTINGS, project.read(SETTINGS).replace('"timeout": 15', '"timeout": 60'));
    init();
    uninstall();
    expect(project.names('.')).toEqual([]);
  });

  test('keep what was empty before', () => {
    const before = '{"hooks":{"Stop":[],"SessionStart":[]},"a":1}';
    const project = makeProject({ [SETTINGS]: before });
    const { init, uninstall } = installer(project, 'local');
    init();
    project.write(SETTINGS, project.read(SETTINGS).replace('"a":1', '"a":2'));
    init();
    uninstall();
    expect(project.json(SETTINGS)).toEqual({ hooks: { Stop: [], SessionStart: [] }, a: 2 });
  });

  test('are left to the user by an uninstall, whatever form their hooks have', () => {
    const project = makeProject();
    const { init, uninstall } = installer(project, 'local');
    init();
    project.write(
      SETTINGS,
      project.read(SETTINGS).replace('"hooks": {', '"hooks": {"Stop": [null],'),
    );
    uninstall();
    expect(project.json(SETTINGS)).toEqual({ hooks: { Stop: [null] } });
  });
});

describe('folders that are links', () => {
  test('stay links after an uninstall', () => {
    const project = makeProject({ 'elsewhere/x': '' });
    project.link('.claude/skills/holdfast', '../../elsewhere');
    const { init, uninstall } = installer(project, 'local');
    init();
    expect(project.names('elsewhere')).toEqual([
      '.claude-plugin',
      'SKILL.md',
      'hooks',
      'program.json',
      'x',
    ]);
    uninstall();
    expect(project.names('elsewhere')).toEqual(['x']);
    expect(project.names('.claude/skills')).toEqual(['holdfast']);
  });

  test('hide from git what lies behind them', () => {
    const project = makeRepository({ 'cfg/x': '' });
    project.link('.claude', 'cfg');
    project.git('add', '.');
    const { init, uninstall } = installer(project, 'local');
    init();
    expect(project.git('status', '--porcelain', '--untracked-files=all')).toBe(
      'A  .claude\nA  cfg/x\n',
    );
    uninstall();
    expect(project.names('cfg')).toEqual(['x']);
  });

  test('lead into a repository with the settings of the user, which shows nothing either', () => {
    const dotfiles = makeRepository({ 'claude/x': '' });
    dotfiles.git('add', '.');
    const project = makeProject();
    mkdirSync(`${project.outside}/home`);
    symlinkSync(dotfiles.at('claude'), `${project.outside}/home/.claude`);
    const { init, uninstall } = installer(project, 'user');
    init();
    expect(dotfiles.git('status', '--porcelain', '--untracked-files=all')).toBe('A  claude/x\n');
    uninstall();
    expect(dotfiles.names('claude')).toEqual(['x']);
  });

  test('and settings that are one are hidden at their target as well', () => {
    const project = makeRepository({ 'dotfiles/x': '' });
    project.link(SETTINGS, '../dotfiles/claude.json');
    project.git('add', '.');
    const { init, uninstall } = installer(project, 'local');
    init();
    expect(project.git('status', '--porcelain', '--untracked-files=all')).not.toMatch(/\?\?/);
    uninstall();
    expect(project.names('dotfiles')).toEqual(['x']);
  });
});

describe('the home folder is no project', () => {
  test.each(['local', 'project'] as const)('of scope %s', (scope) => {
    const project = makeProject();
    const home = { ...project, root: `${project.outside}/home` };
    installer(home, 'user').init();
    expect(() => installer(home, scope).init()).toThrow(
      expect.objectContaining({ code: 'user_folder' }),
    );
    if (scope === 'project')
      expect(() => installer(home, scope).uninstall()).toThrow(
        expect.objectContaining({ code: 'user_folder' }),
      );
    else expect(installer(home, scope).uninstall().changes).toEqual([]);
    installer(home, 'user').uninstall();
    expect(existsSync(home.root)).toBe(false);
  });

  test('also where a link leads there', () => {
    const project = makeProject();
    const { config } = installer(project, 'user');
    installer(project, 'user').init();
    symlinkSync(config, project.at('.claude'));
    expect(() => installer(project, 'local').init()).toThrow(
      expect.objectContaining({ code: 'user_folder' }),
    );
  });
});
