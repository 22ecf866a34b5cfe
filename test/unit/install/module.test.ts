import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { requireRecord } from '../../../src/install/record/record-file.ts';
import { refreshRuntime } from '../../../src/install/runtime/refresh.ts';
import { RUNTIME_FILES } from '../../../src/io/runtime-paths.ts';
import { installer } from '../../support/installation.ts';
import { makeProject } from '../../support/project.ts';
import { makeRepository } from '../../support/repository.ts';

const SKILL = '.claude/skills/holdfast';
const PLUGIN = `${SKILL}/.claude-plugin/plugin.json`;
const HOOKS = `${SKILL}/hooks/hooks.json`;
const CODE = `${SKILL}/hooks/register.js`;
const PROGRAM = `${SKILL}/program.json`;
const MODULE = [PLUGIN, HOOKS, CODE, PROGRAM];

test('init makes the folder of the skill a plugin with the module of this version', () => {
  const project = makeProject();
  const { config, init } = installer(project, 'local');
  init();
  expect(project.json(PLUGIN)).toEqual({ name: 'holdfast', version: '1.0.0' });
  expect(project.json(HOOKS)).toEqual({ modules: ['./register.js'], hooks: {} });
  expect(project.read(CODE)).toBe('// 1.0.0\n');
  expect(project.json(PROGRAM)).toEqual(['node', join(config, 'holdfast/bin/holdfast.cjs')]);
  expect(init().changes).toEqual([]);
});

test('it is hidden from git, also beside a skill that the project has committed', () => {
  const project = makeRepository({ 'a.txt': '' });
  installer(project, 'project').init();
  project.git('add', '--all');
  project.git('commit', '-qm', 'tools');
  installer(project, 'local').init();
  for (const path of MODULE) expect(project.exists(path)).toBe(true);
  expect(project.git('status', '--porcelain', '--untracked-files=all')).toBe('');
});

describe('nothing is installed', () => {
  test('for the project, where it would be code in a repository', () => {
    const project = makeProject();
    installer(project, 'project').init();
    expect(project.names(SKILL)).toEqual(['SKILL.md']);
  });

  test('beside the plugin, which has the module, and what was installed before goes', () => {
    const project = makeProject();
    const { init } = installer(project, 'local');
    init();
    init('1.0.0', true, { hasPlugin: true });
    for (const path of MODULE) expect(project.exists(path)).toBe(false);
  });

  test.each(MODULE)('if %s is there already and belongs to somebody else', (path) => {
    const project = makeProject({ [path]: 'theirs' });
    const plan = installer(project, 'local').init();
    expect(plan.foreign).toEqual([project.at(path)]);
    for (const other of MODULE) expect(project.exists(other)).toBe(other === path);
    expect(project.read(path)).toBe('theirs');
  });

  test('if the repository tracks a file of that name, even one with the same content', () => {
    const project = makeRepository({ [CODE]: '// 1.0.0\n' });
    project.git('add', '--all');
    project.git('commit', '-qm', 'module');
    const plan = installer(project, 'local').init();
    expect(plan.foreign).toEqual([project.at(CODE)]);
    expect(project.exists(PROGRAM)).toBe(false);
  });
});

describe('an update', () => {
  test('by init replaces what nobody has changed', () => {
    const project = makeProject();
    const { init, uninstall } = installer(project, 'local');
    init();
    init('2.0.0');
    expect(project.read(CODE)).toBe('// 2.0.0\n');
    uninstall();
    expect(project.names('.')).toEqual([]);
  });

  test('leaves a module alone that was changed by hand, and names the file', () => {
    const project = makeProject();
    const { init, uninstall } = installer(project, 'local');
    init();
    project.write(CODE, '// mine\n');
    expect(init('2.0.0').kept).toEqual([project.at(CODE)]);
    expect(project.json(PLUGIN)).toMatchObject({ version: '1.0.0' });
    expect(uninstall().kept).toEqual([project.at(CODE)]);
    expect(project.names(`${SKILL}/hooks`)).toEqual(['register.js']);
  });

  test('of the package brings the modules of all projects along', () => {
    const project = makeProject();
    const { config, init, uninstall } = installer(project, 'local');
    init();
    const program = project.read(PROGRAM);
    for (const name of RUNTIME_FILES) project.write(`package/${name}`, '// 2.0.0\n');
    refreshRuntime(config, project.at('package'), '2.0.0');
    expect(project.read(CODE)).toBe('// 2.0.0\n');
    expect(project.json(PLUGIN)).toMatchObject({ version: '2.0.0' });
    expect(project.read(PROGRAM)).toBe(program);
    expect(requireRecord(config).runtime.version).toBe('2.0.0');
    uninstall();
    expect(project.exists('.claude')).toBe(false);
  });
});

test('uninstall removes exactly the module of its scope', () => {
  const project = makeProject({ 'a.txt': '' });
  const user = installer(project, 'user');
  const local = installer(project, 'local');
  user.init();
  local.init();
  local.uninstall();
  expect(project.names('.')).toEqual(['a.txt']);
  const code = join(user.config, 'skills/holdfast/hooks/register.js');
  expect(readFileSync(code, 'utf8')).toBe('// 1.0.0\n');
  user.uninstall();
  expect(existsSync(user.config)).toBe(false);
});
