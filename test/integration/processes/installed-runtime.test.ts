import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { Script } from 'node:vm';
import { describe, expect, test } from 'vitest';
import {
  cacheName,
  isHookCacheOf,
  makeCodeCache,
  WARM_UP,
  withDigest,
} from '../../../src/install/runtime/code-cache.ts';
import { RUNTIME_FILES } from '../../../src/io/runtime-paths.ts';
import { copyRuntime, removeRuntime } from '../../../src/install/runtime/runtime.ts';
import { makeProject, type Project } from '../../support/project.ts';

const require = createRequire(import.meta.url);
const loader = readFileSync(new URL('../../../scripts/hook-loader.cjs', import.meta.url), 'utf8');
/** As the build makes it. */
const codeThatSays = (word: string): string =>
  withDigest(`(function (require) { require('node:fs').writeSync(1, ${JSON.stringify(word)}); })`);

function aPackage(tree: Record<string, string> = {}): Project {
  return makeProject({
    'package/bin/holdfast': '# launcher',
    'package/bin/holdfast.cjs': '// bin',
    'package/bin/hook.sh': '# hook',
    'package/dist/cli.cjs': '// cli',
    'package/dist/cli-status.cjs': '// cli-status',
    'package/dist/cli-statusline.cjs': '// cli-statusline',
    'package/dist/hook-code.cjs': codeThatSays('one'),
    'package/dist/hook.cjs': loader,
    'package/dist/mcp.cjs': '// mcp',
    'package/dist/module/register.js': '// module',
    'package/dist/cli.meta.json': '{}',
    ...tree,
  });
}

const copy = (project: Project): boolean => copyRuntime(project.at('package'), project.at('home'));
const cacheOf = (word: string): string => cacheName('hook', codeThatSays(word)) ?? '';

describe('holdfast’s own files are copied', () => {
  test('as they are, and nothing else of the package', () => {
    const project = aPackage();
    expect(copy(project)).toBe(true);
    expect(project.names('home')).toEqual(['bin', 'dist']);
    expect(project.names('home/bin')).toEqual(['holdfast', 'holdfast.cjs', 'hook.sh', 'node-path']);
    expect(project.read('home/bin/node-path')).toBe(`${process.execPath}\n`);
    expect(statSync(project.at('home/bin/holdfast')).mode & 0o777).toBe(0o755);
    expect(project.names('home/dist')).toEqual(
      [
        cacheOf('one'),
        'cli-status.cjs',
        'cli-statusline.cjs',
        'cli.cjs',
        'hook-code.cjs',
        'hook.cjs',
        'mcp.cjs',
        'module',
      ].toSorted(),
    );
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

describe('the cache of compiled code', () => {
  test('is the one that the hook looks for', () => {
    const project = aPackage();
    copy(project);
    const watch = [
      "const fs=require('node:fs'),read=fs.readFileSync;",
      'fs.readFileSync=(path,...rest)=>{const is=/\\.cache$/.test(path);',
      "const bytes=read(path,...rest);if(is)fs.writeSync(1,'cached ');return bytes};",
      `require(${JSON.stringify(project.at('home/dist/hook.cjs'))})`,
    ].join('');
    const { stdout } = spawnSync(process.execPath, ['-e', watch], { encoding: 'utf8' });
    expect(stdout).toBe('cached one');
  });

  test('follows the code; those of other versions of Node stay', () => {
    const project = aPackage();
    copy(project);
    project.write('package/dist/hook-code.cjs', codeThatSays('two'));
    const ofAnotherNode = cacheOf('two').replace(process.version, 'v99.0.0');
    project.write(`home/dist/${ofAnotherNode}`, 'x');
    expect(copy(project)).toBe(true);
    expect(project.names('home/dist')).toEqual(
      [
        cacheOf('two'),
        ofAnotherNode,
        'cli-status.cjs',
        'cli-statusline.cjs',
        'cli.cjs',
        'hook-code.cjs',
        'hook.cjs',
        'mcp.cjs',
        'module',
      ].toSorted(),
    );
  });

  test('is created again if it is missing', () => {
    const project = aPackage();
    project.write('home/dist/hook-code.cjs', codeThatSays('one'));
    expect(copy(project)).toBe(true);
    expect(project.exists(`home/dist/${cacheOf('one')}`)).toBe(true);
  });

  test.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length - 20)],
    ['empty', () => Buffer.alloc(0)],
    ['of another code', () => makeCodeCache(codeThatSays('another'), require, tmpdir())],
  ])('is created again if it is %s', (_what, damaged) => {
    const project = aPackage();
    copy(project);
    const cache = project.at(`home/dist/${cacheOf('one')}`);
    writeFileSync(cache, damaged(readFileSync(cache)));
    expect(copy(project)).toBe(true);
    expect(isHookCacheOf(codeThatSays('one'), readFileSync(cache))).toBe(true);
    expect(copy(project)).toBe(false);
  });

  test('is optional: the hooks are copied even if it cannot be created', () => {
    const failing = '(function () { throw new Error("an odd Node"); })';
    const project = aPackage({
      'package/dist/hook-code.cjs': withDigest(failing),
    });
    expect(copy(project)).toBe(true);
    expect(project.names('home')).toEqual(['bin', 'dist']);
    expect(project.names('home/dist')).toEqual([
      'cli-status.cjs',
      'cli-statusline.cjs',
      'cli.cjs',
      'hook-code.cjs',
      'hook.cjs',
      'mcp.cjs',
      'module',
    ]);
  });

  test('is not needed: without it, or with a damaged one, the hook runs', () => {
    const project = aPackage();
    copy(project);
    const run = (): string =>
      spawnSync(process.execPath, [project.at('home/dist/hook.cjs')], { encoding: 'utf8' }).stdout;
    project.write(`home/dist/${cacheOf('one')}`, 'damaged');
    expect(run()).toBe('one');
    removeRuntime(project.at('home'));
    project.write('home/dist/hook-code.cjs', codeThatSays('one'));
    project.write('home/dist/hook.cjs', loader);
    expect(run()).toBe('one');
  });

  test('is left out for code without a digest', () => {
    const project = aPackage({ 'package/dist/hook-code.cjs': '// plain' });
    expect(copy(project)).toBe(true);
    expect(project.names('home/dist')).toEqual([
      'cli-status.cjs',
      'cli-statusline.cjs',
      'cli.cjs',
      'hook-code.cjs',
      'hook.cjs',
      'mcp.cjs',
      'module',
    ]);
  });
});

describe('the cache of a command', () => {
  const bundleThatSays = (word: string): string =>
    withDigest(`require('node:fs').writeSync(1, ${JSON.stringify(word)});`);
  const withBundles = (word: string): Project =>
    aPackage({
      'package/bin/holdfast.cjs': readFileSync(
        new URL('../../../bin/holdfast.cjs', import.meta.url),
        'utf8',
      ),
      'package/dist/cli.cjs': bundleThatSays(word),
      'package/dist/cli-status.cjs': bundleThatSays('status'),
    });
  const cachesOf = (project: Project, folder = 'home/dist'): string[] =>
    project.names(folder).filter((name) => name.startsWith('cli') && name.endsWith('.cache'));
  const cacheFor = (bundle: string, word: string): string =>
    cacheName(bundle, bundleThatSays(word)) ?? '';
  /** A cache of a bundle that has never run, as bin/holdfast.cjs compiles it. */
  const compiled = (bundle: string): Buffer =>
    new Script(
      `(function (require, module, exports, __filename, __dirname) {${bundle}\n})`,
    ).createCachedData();
  /** Starts a command and tells which caches it read and whether V8 took them. */
  const start = (project: Project, ...words: string[]): string => {
    const watch = [
      "const vm=require('node:vm'),{Script}=vm;",
      'vm.Script=class extends Script{constructor(code,options){super(code,options);',
      "require('node:fs').writeSync(1,options.cachedData===undefined?'none ':",
      "this.cachedDataRejected?'rejected ':'taken ')}};",
      'require(process.argv[1])',
    ].join('');
    const program = project.at('home/bin/holdfast.cjs');
    return spawnSync(process.execPath, ['-e', watch, program, ...words], { encoding: 'utf8' })
      .stdout;
  };

  test('is made for each bundle, and used', () => {
    const project = withBundles('one');
    expect(copy(project)).toBe(true);
    expect(cachesOf(project)).toEqual([cacheFor('cli', 'one'), cacheFor('cli-status', 'status')]);
    expect(start(project, 'advance')).toBe('taken one');
    expect(start(project, 'status')).toBe('taken status');
    expect(copy(project)).toBe(false);
  });

  test('is copied if the package has one for this version of Node', () => {
    const project = withBundles('one');
    const built = compiled(project.read('package/dist/cli.cjs'));
    writeFileSync(project.at(`package/dist/${cacheFor('cli', 'one')}`), built);
    copy(project);
    expect(readFileSync(project.at(`home/dist/${cacheFor('cli', 'one')}`))).toEqual(built);
    expect(start(project)).toBe('taken one');
    expect(start(project, 'list')).toBe('taken status');
  });

  test('is made if V8 rejects the one in the package', () => {
    const project = withBundles('one');
    project.write(`package/dist/${cacheFor('cli', 'one')}`, 'damaged');
    copy(project);
    expect(start(project)).toBe('taken one');
  });

  test.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length - 20)],
    ['empty', () => Buffer.alloc(0)],
    ['of another code', () => compiled(bundleThatSays('a longer word'))],
  ])('is created again if it is %s', (_what, damaged) => {
    const project = withBundles('one');
    copy(project);
    const cache = project.at(`home/dist/${cacheFor('cli', 'one')}`);
    writeFileSync(cache, damaged(readFileSync(cache)));
    expect(start(project)).toBe('rejected one');
    expect(copy(project)).toBe(true);
    expect(start(project)).toBe('taken one');
    expect(start(project, 'status')).toBe('taken status');
    expect(copy(project)).toBe(false);
  });

  test('follows the bundle, also where the new one has the same length', () => {
    const project = withBundles('one');
    copy(project);
    project.write('package/dist/cli.cjs', bundleThatSays('two'));
    expect(copy(project)).toBe(true);
    expect(cachesOf(project)).toEqual([cacheFor('cli', 'two'), cacheFor('cli-status', 'status')]);
    expect(start(project)).toBe('taken two');
  });

  test('is not used for a bundle that was changed by hand', () => {
    const project = withBundles('one');
    copy(project);
    project.write('home/dist/cli.cjs', bundleThatSays('two'));
    expect(start(project)).toBe('none two');
  });

  test('goes with the other files', () => {
    const project = withBundles('one');
    copy(project);
    removeRuntime(project.at('home'));
    expect(project.names('home')).toEqual([]);
  });
});

describe('holdfast’s own files are removed', () => {
  test('with their folders and caches', () => {
    const project = aPackage();
    copy(project);
    project.write('home/dist/hook-0123-v99.0.0-x64.cache', 'x');
    removeRuntime(project.at('home'));
    expect(project.names('home')).toEqual([]);
  });

  test('with the leftovers of a killed process', () => {
    const project = aPackage({
      'home/.installs.json.holdfast-12': '{',
      'home/dist/.cli.cjs.holdfast-34': '//',
      'home/bin/.holdfast.cjs.holdfast-56': '//',
      [`home/${WARM_UP}Xy12/.git/HEAD`]: '',
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
