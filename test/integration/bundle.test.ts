import { copyFileSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { repository, sandbox } from '../support/cli.ts';

const { inputs, outputs } = JSON.parse(
  readFileSync(join(repository, 'dist/hook.meta.json'), 'utf8'),
);

it('the hook bundle has only what hooks need: no package, no command line', () => {
  const foreign = Object.keys(inputs).filter(
    (path) => !path.startsWith('src/') || path.startsWith('src/cli/'),
  );
  expect(foreign).toEqual([]);
});

it('the hook bundle loads no heavy part of Node', () => {
  const required = outputs['dist/hook.cjs'].imports.map(({ path }: { path: string }) => path);
  expect(new Set(required)).toEqual(new Set(['node:fs', 'node:os', 'node:path']));
});

it('the hook bundle stays under 100 KB', () => {
  expect(statSync(join(repository, 'dist/hook.cjs')).size).toBeLessThan(100_000);
});

it('the hook file works alone, without the code cache that lies beside it', () => {
  const box = sandbox();
  box.run(['start', 'Shop'], { session: 's1' });
  mkdirSync(join(box.home, 'alone'));
  const alone = join(box.home, 'alone/hook.cjs');
  copyFileSync(join(repository, 'dist/hook.cjs'), alone);
  const { stdout, status } = spawnSync(process.execPath, [alone, 'PreCompact'], {
    cwd: box.root,
    encoding: 'utf8',
    input: '{"session_id":"s1"}',
    env: { PATH: process.env.PATH, HOME: box.home },
  });
  expect(status).toBe(0);
  expect(stdout).toContain('Workflow: Shop');
});
