import { statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { RUNTIME_FILES } from '../../../src/io/runtime-paths.ts';
import { copyRuntime, removeRuntime } from '../../../src/install/runtime/runtime.ts';
import { makeProject, type Project } from '../../support/project.ts';

function aPackage(tree: Record<string, string> = {}): Project {
  return makeProject({
    'package/bin/holdfast': '# launcher',
    'package/bin/holdfast.cjs': '// bin',
    'package/bin/hook.sh': '# hook',
    'package/dist/cli.cjs': '// cli',
    'package/dist/hook.cjs': '// hook',
    'package/dist/mcp.cjs': '// mcp',
    'package/dist/module/register.js': '// module',
    'package/dist/cli.meta.json': '{}',
    ...tree,
  });
}

const copy = (project: Project): boolean => copyRuntime(project.at('package'), project.at('home'));

describe('holdfast’s own files are copied', () => {
  test('as they are, and nothing else of the package', () => {
    const project = aPackage();
    expect(copy(project)).toBe(true);
    expect(project.names('home')).toEqual(['bin', 'dist']);
    expect(project.names('home/bin')).toEqual(['holdfast', 'holdfast.cjs', 'hook.sh', 'node-path']);
    expect(project.read('home/bin/node-path')).toBe(`${process.execPath}\n`);
    expect(statSync(project.at('home/bin/holdfast')).mode & 0o777).toBe(0o755);
    expect(project.names('home/dist')).toEqual(['cli.cjs', 'hook.cjs', 'mcp.cjs', 'module']);
    for (const file of RUNTIME_FILES)
      expect(project.read(`home/${file}`)).toBe(project.read(`package/${file}`));
  });

  test('once: identical files are not written again', () => {
    const project = aPackage();
    copy(project);
    const before = statSync(project.at('home/dist/hook.cjs')).ino;
    expect(copy(project)).toBe(false);
    expect(statSync(project.at('home/dist/hook.cjs')).ino).toBe(before);
  });

  test('again if one of them was deleted or changed', () => {
    const project = aPackage();
    copy(project);
    project.write('home/dist/cli.cjs', '// other');
    expect(copy(project)).toBe(true);
    expect(project.read('home/dist/cli.cjs')).toBe('// cli');
  });

  test('all or none: an incomplete package changes nothing', () => {
    const project = makeProject({
      'package/bin/holdfast': '# launcher',
      'package/bin/holdfast.cjs': '// bin',
      'package/bin/hook.sh': '# hook',
      'package/dist/cli.cjs': '// cli',
    });
    expect(() => copy(project)).toThrow(expect.objectContaining({ code: 'no_package' }));
    expect(project.exists('home')).toBe(false);
  });
});

describe('holdfast’s own files are removed', () => {
  test('with their folders and what V8 has compiled', () => {
    const project = aPackage();
    copy(project);
    project.write('home/cache/hook-PreCompact.cache', 'x');
    removeRuntime(project.at('home'));
    expect(project.names('home')).toEqual([]);
  });

  test('with the leftovers of a killed process', () => {
    const project = aPackage({
      'home/.installs.json.holdfast-12': '{',
      'home/dist/.cli.cjs.holdfast-34': '//',
      'home/bin/.holdfast.cjs.holdfast-56': '//',
    });
    removeRuntime(project.at('home'));
    expect(project.names('home')).toEqual([]);
  });

  test('and nothing of the user’s beside them', () => {
    const project = aPackage();
    copy(project);
    project.write('home/dist/mine.txt', 'x');
    project.write('home/bin/mine', 'x');
    removeRuntime(project.at('home'));
    expect(project.names('home/dist')).toEqual(['mine.txt']);
    expect(project.names('home/bin')).toEqual(['mine']);
  });

  test('does nothing if there are none', () => {
    const project = makeProject();
    removeRuntime(project.at('home'));
    expect(project.names('.')).toEqual([]);
  });
});
