import {
  copyFileSync,
  cpSync,
  mkdirSync,
  realpathSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { builtPackage, repository, runOther, sandbox } from '../support/cli.ts';

it('--version prints the version, the Node version and the installation folder, also as JSON', () => {
  const { run } = sandbox();
  expect(run(['-V']).stdout.trimEnd().split('\n')).toEqual([
    `holdfast ${manifest.version}`,
    `Node ${process.version} (${process.execPath})`,
    `runs from ${realpathSync(builtPackage)}`,
  ]);
  expect(JSON.parse(run(['--version', '--json']).stdout)).toEqual({
    version: manifest.version,
    node_version: process.version,
    node_path: process.execPath,
    folder: realpathSync(builtPackage),
  });
});

it('the folder is that of the package, even through a link on the PATH', () => {
  const { home } = sandbox();
  const folder = join(home, 'lib/node_modules/holdfast');
  mkdirSync(join(folder, 'bin'), { recursive: true });
  mkdirSync(join(home, 'bin'));
  copyFileSync(
    join(repository, 'bin/holdfast.cjs'),
    join(folder, 'bin/holdfast.cjs'),
  );
  cpSync(join(repository, 'dist'), join(folder, 'dist'), { recursive: true });
  symlinkSync(
    '../lib/node_modules/holdfast/bin/holdfast.cjs',
    join(home, 'bin/holdfast'),
  );
  const { stdout } = runOther(join(home, 'bin/holdfast'), ['--version'], {
    env: { PATH: process.env['PATH'], HOME: home },
  });
  expect(stdout).toContain(`\nruns from ${folder}\n`);
});
