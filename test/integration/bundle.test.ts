import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repository } from '../support/cli.ts';

const { inputs } = JSON.parse(readFileSync(join(repository, 'dist/hook.meta.json'), 'utf8'));

it('the hook bundle has only what hooks need: no package, no command line', () => {
  const foreign = Object.keys(inputs).filter(
    (path) => !path.startsWith('src/') || path.startsWith('src/cli/'),
  );
  expect(foreign).toEqual([]);
});

it('the hook bundle stays under 100 KB', () => {
  expect(statSync(join(repository, 'dist/hook.cjs')).size).toBeLessThan(100_000);
});

it('the hook bundle is synchronous CommonJS and loads no heavy part of Node', () => {
  const code = readFileSync(join(repository, 'dist/hook.cjs'), 'utf8');
  const required = new Set([...code.matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name));
  expect(required).toEqual(new Set(['node:fs', 'node:os', 'node:path']));
});
