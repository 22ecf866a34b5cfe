// npm runs this when somebody installs from the repository's address or from a clone with `npm install -g .`. For `npm ci`
// it does not: .npmrc switches scripts off.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

const { env, execPath, platform } = process;

// npm prepares a repository by an installation in a temporary clone, which calls this too, and then calls this again.
if (env._PACOTE_NO_PREPARE_ === undefined) {
  // With -g, that installation leaves out the packages that the build needs …
  if (!existsSync('node_modules/esbuild'))
    execFileSync(execPath, [
      env.npm_execpath,
      'ci',
      '--no-global',
      '--ignore-scripts',
    ]);
  await import('./build.mjs');
  // … and puts a link to the temporary clone where npm is about to unpack the package.
  if (
    env.npm_config_global === 'true' &&
    basename(process.cwd()).startsWith('git-clone')
  ) {
    const lib = platform === 'win32' ? '' : 'lib';
    const target = join(
      env.npm_config_global_prefix,
      lib,
      'node_modules/holdfast',
    );
    rmSync(target, { force: true, recursive: true });
    mkdirSync(target);
  }
}
