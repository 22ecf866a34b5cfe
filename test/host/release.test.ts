import { execFile } from 'node:child_process';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { CLIENT_VERSIONS } from './support/client.ts';
import { given, restoredIn } from './support/given.ts';
import { openHost } from './support/holdfast.ts';
import { createFolder, removeFolder } from './support/folder.ts';
import { client } from './support/package.ts';
import { createProject, type Project } from './support/project.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../..', import.meta.url));

/** By the marketplace of the default branch, and by that of the release. */
const REFS = { '2.1.197': '', '2.1.325': '#release' };

/** git takes the remote of the test for it. */
const ADDRESS = 'https://git.invalid/holdfast.git';
const BARE = { files: { '.claude/settings.json': {} }, git: true };
const START = 'DO:BASH holdfast start Checkout --phases A,B';

let folder: string;
let checkout: Project;

/** The remote with this version on its branch `release`, and with the marketplace on `main`. */
async function release(version: string): Promise<void> {
  const remote = join(folder, version);
  const edit = async (
    path: string,
    change: (text: string) => string,
  ): Promise<void> =>
    writeFile(
      checkout.path(path),
      change(await readFile(checkout.path(path), 'utf8')),
    );
  const raise = (text: string): string =>
    text.replace(/"version": ".*?"/, `"version": "${version}"`);
  await edit('package.json', raise);
  await edit('package-lock.json', raise);
  await edit('CHANGELOG.md', (text) =>
    text.replace('## ', `## ${version}\n\n- new\n\n## `),
  );
  await run('npm', ['run', 'generate'], { cwd: checkout.root });
  await checkout.git(
    'commit',
    '--quiet',
    '--all',
    '--message=raise the version',
  );
  await checkout.git('push', '--quiet', remote, 'main');
  await run('npm', ['run', 'release', '--', '--remote', remote], {
    cwd: checkout.root,
  });
}

beforeAll(async () => {
  folder = await createFolder('release');
  checkout = await createProject();
  const { stdout } = await run(
    'git',
    ['ls-files', '-co', '--exclude-standard'],
    {
      cwd: repository,
    },
  );
  const paths = stdout
    .split('\n')
    .filter((path) => path !== '' && !/^test\/(?!fix)/.test(path));
  for (const path of paths)
    await cp(join(repository, path), checkout.path(path));
  await symlink(
    join(repository, 'node_modules'),
    checkout.path('node_modules'),
  );
  const manifest = JSON.parse(
    await readFile(checkout.path('package.json'), 'utf8'),
  );
  await checkout.write({
    'package.json': { ...manifest, repository: { type: 'git', url: ADDRESS } },
    '.gitignore': `${await readFile(checkout.path('.gitignore'), 'utf8')}\nnode_modules\n`,
  });
  await checkout.git('init', '--quiet', '--initial-branch=main');
  await checkout.git('config', 'user.name', 'Test');
  await checkout.git('config', 'user.email', 'test@example.invalid');
  await checkout.git('add', '--all');
  await checkout.git(
    'init',
    '--quiet',
    '--bare',
    '--initial-branch=main',
    join(folder, '7.0.0'),
  );
  await release('7.0.0');
  await cp(join(folder, '7.0.0'), join(folder, '7.1.0'), { recursive: true });
  await release('7.1.0');
});
afterAll(async () => {
  await checkout.remove();
  await removeFolder(folder);
});

describe.each(CLIENT_VERSIONS)('client %s', (version) => {
  it('installs the plugin from the address of the repository, updates and removes it', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context, BARE);
    const serve = (name: string): Promise<void> =>
      writeFile(
        join(host.home.path, '.gitconfig'),
        `[url "file://${join(folder, name)}"]\n  insteadOf = ${ADDRESS}\n`,
      );
    await serve('7.0.0');
    await client(version, host, [
      'plugin',
      'marketplace',
      'add',
      `${ADDRESS}${REFS[version]}`,
    ]);
    await client(version, host, ['plugin', 'install', 'holdfast@holdfast']);
    await host.print([START, '/compact', 'DO:BASH holdfast --version']);
    expect(restoredIn(host.model.turns().at(-1))).toEqual([
      'Checkout, Phase 1/2',
    ]);
    expect(given(host.model.turns().at(-1))).toContain('holdfast 7.0.0\n');

    await serve('7.1.0');
    await client(version, host, [
      'plugin',
      'marketplace',
      'update',
      'holdfast',
    ]);
    await client(version, host, ['plugin', 'update', 'holdfast@holdfast']);
    await host.print('DO:BASH holdfast --version');
    expect(given(host.model.turns().at(-1))).toContain('holdfast 7.1.0\n');
    expect(given(host.model.turns().at(-1))).toContain('\n- holdfast');

    await client(version, host, ['plugin', 'uninstall', 'holdfast@holdfast']);
    await client(version, host, [
      'plugin',
      'marketplace',
      'remove',
      'holdfast',
    ]);
    await host.print('hello');
    expect(given(host.model.turns().at(-1))).not.toContain('\n- holdfast');
  });
});

it('npm installs from the address of the repository, built by npm or by the release', async ({
  expect,
}) => {
  const home = await createFolder('home');
  for (const ref of ['main', 'release']) {
    const prefix = join(home, ref);
    const words = [
      'install',
      '-g',
      '--prefix',
      prefix,
      `git+file://${folder}/7.1.0#${ref}`,
    ];
    await run('npm', words, {
      cwd: home,
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        // vitest.config.ts keeps these certificates from all other processes.
        NODE_EXTRA_CA_CERTS: process.env['NPM_EXTRA_CA_CERTS'],
      },
    });
    const { stdout } = await run(join(prefix, 'bin/holdfast'), ['--version'], {
      env: { PATH: process.env['PATH'], HOME: home },
    });
    expect(stdout).toContain('holdfast 7.1.0\n');
  }
  await removeFolder(home);
});
