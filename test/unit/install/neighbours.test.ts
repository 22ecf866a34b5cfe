import { describe, expect, test } from 'vitest';
import { installer } from '../../support/installation.ts';
import { makeProject } from '../../support/project.ts';
import { makeRepository, type RepositoryProject } from '../../support/repository.ts';

const COMMANDS = '.claude/commands/holdfast';
const FOLDERS = [`/${COMMANDS}/`, '/.claude/skills/holdfast/'];
const EXCLUDE = '.git/info/exclude';

const excluded = (project: RepositoryProject): string[] =>
  project.exists(EXCLUDE) ? project.read(EXCLUDE).split('\n') : [];

function committed(): RepositoryProject {
  const project = makeRepository();
  installer(project, 'project').init();
  project.git('add', '.');
  project.git('commit', '-qm', 'hooks');
  return project;
}

describe('what is installed for the whole project', () => {
  test('is not taken out with an installation of one user that never was', () => {
    const project = committed();
    expect(installer(project, 'local').uninstall().changes).toEqual([]);
    expect(project.git('status', '--porcelain')).toBe('');
  });

  test('is not taken out with that of one user', () => {
    const project = committed();
    const local = installer(project, 'local');
    local.init();
    local.uninstall();
    expect(project.git('status', '--porcelain')).toBe('');
    expect(project.names('.claude')).toEqual(['commands', 'settings.json', 'skills']);
  });

  test('is not rewritten by one user who calls holdfast otherwise', () => {
    const project = committed();
    const { init } = installer(project, 'local');
    expect(init('2.0.0')).toMatchObject({ kept: [], foreign: [] });
    expect(project.git('status', '--porcelain')).toBe('');
    expect(excluded(project)).not.toEqual(expect.arrayContaining(FOLDERS));
  });

  test('is not touched by one user either where only git knows of it', () => {
    const project = committed();
    project.git('rm', '-q', '.claude/settings.json');
    const local = installer({ ...project, outside: project.at('../outside/another') }, 'local');
    local.init('2.0.0');
    expect(project.git('status', '--porcelain', '.claude/commands')).toBe('');
    local.uninstall();
    expect(project.git('status', '--porcelain', '.claude/commands')).toBe('');
  });

  test('is not touched by one user either where it is in no repository, and another wrote it', () => {
    const project = makeProject();
    installer(project, 'project').init();
    const before = project.read(`${COMMANDS}/status.md`);
    const local = installer({ ...project, outside: project.at('../outside/another') }, 'local');
    local.init('2.0.0');
    expect(project.read(`${COMMANDS}/status.md`)).toBe(before);
    local.uninstall();
    local.uninstall();
    expect(project.names(COMMANDS)).toHaveLength(13);
  });

  test('can be committed where one user had hidden it before', () => {
    const project = makeRepository();
    const [local, shared] = [installer(project, 'local'), installer(project, 'project')];
    local.init();
    expect(excluded(project)).toEqual(expect.arrayContaining(FOLDERS));
    shared.init();
    for (const folder of FOLDERS) expect(excluded(project)).not.toContain(folder);
    expect(excluded(project)).toContain('/.claude/settings.local.json');
    project.git('add', '.');
    expect(project.git('ls-files').split('\n')).toEqual(
      expect.arrayContaining(['.claude/settings.json', `${COMMANDS}/status.md`]),
    );
    local.uninstall();
    expect(project.names(COMMANDS)).toHaveLength(13);
    shared.uninstall();
    expect(project.names('.')).toEqual(['.git']);
    expect(project.exists(local.config)).toBe(false);
  });

  test('goes with its own uninstallation, also for those who only cloned it', () => {
    const project = committed();
    const colleague = { ...project, outside: project.at('../outside/another') };
    installer(colleague, 'project').uninstall();
    expect(project.names('.')).toEqual(['.git']);
  });
});

describe('what is installed for one user', () => {
  test('stays where it was written before the project got hooks of its own', () => {
    const project = makeRepository();
    const local = installer(project, 'local');
    local.init();
    project.write('.claude/settings.json', project.read('.claude/settings.local.json'));
    expect(local.init('2.0.0').changes.map(({ path }) => path)).toContain(
      project.at(`${COMMANDS}/status.md`),
    );
    expect(excluded(project)).toEqual(expect.arrayContaining(FOLDERS));
    local.uninstall();
    expect(project.names('.claude')).toEqual(['settings.json']);
  });
});

describe('worktrees share one exclude file', () => {
  test('and a line that was added between their installations is kept by both uninstallations', () => {
    const project = makeProject({
      'main/.git/info/exclude': '*.log',
      'main/.git/worktrees/two/commondir': '../..',
      'two/.git': '',
    });
    project.write('two/.git', `gitdir: ${project.at('main/.git/worktrees/two')}\n`);
    const at = (name: string) => installer({ ...project, root: project.at(name) }, 'local');
    const exclude = 'main/.git/info/exclude';
    at('main').init();
    project.write(exclude, `${project.read(exclude)}mine\n`);
    at('two').init();
    at('main').uninstall();
    at('two').uninstall();
    expect(project.read(exclude)).toBe('*.log\nmine\n');
  });
});
