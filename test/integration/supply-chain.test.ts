import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repository } from '../support/cli.ts';

function textOf(path: string): string {
  return readFileSync(join(repository, path), 'utf8');
}

const manifest = JSON.parse(textOf('package.json'));
const lock = JSON.parse(textOf('package-lock.json'));

it('nothing is installed along with the package, and nothing of it runs at installation', () => {
  for (const key of [
    'dependencies',
    'optionalDependencies',
    'peerDependencies',
    'bundleDependencies',
  ])
    expect(manifest).not.toHaveProperty(key);
  // npm runs `prepare` for an installation from the repository, which has to be built, and not for a package.
  for (const script of ['preinstall', 'install', 'postinstall', 'prepublish'])
    expect(manifest.scripts).not.toHaveProperty(script);
});

it('the lock file is in step with the manifest', () => {
  const root = lock.packages[''];
  expect(root.version).toBe(manifest.version);
  expect(root.devDependencies).toEqual(manifest.devDependencies);
});

it('the lock file names no host, and every package in it has a checksum', () => {
  const entries = Object.entries<{ integrity?: string; resolved?: string }>(
    lock.packages,
  );
  expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual(
    [],
  );
  const unchecked = entries.filter(
    ([path, { integrity }]) => path !== '' && !integrity?.startsWith('sha512-'),
  );
  expect(unchecked.map(([path]) => path)).toEqual([]);
});

it('install scripts are off for every contributor', () => {
  expect(textOf('.npmrc').split('\n')).toContain('ignore-scripts=true');
});

it('the bundles require nothing but Node and their own files', () => {
  const built = readdirSync(join(repository, 'dist')).filter((name) =>
    name.endsWith('.cjs'),
  );
  const required = built.flatMap((name) =>
    [...textOf(`dist/${name}`).matchAll(/\brequire\(["']([^"']+)["']\)/g)].map(
      ([, module = '']) => module,
    ),
  );
  const { builtinModules } = process.getBuiltinModule('node:module');
  const foreign = required.filter(
    (module) =>
      !module.startsWith('node:') &&
      !module.startsWith('./hook') &&
      !builtinModules.includes(module),
  );
  expect([...new Set(foreign)]).toEqual([]);
});
