import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type ClientVersion, installClient } from './client.ts';
import { clientEnvironment } from './environment.ts';
import { createFolder, removeFolder } from './folder.ts';
import type { Host } from './host.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../..', import.meta.url));

export interface Package {
  /** As npm would lay it somewhere. */
  readonly folder: string;
  readonly program: string;
  remove(): Promise<void>;
}

/** What npm would publish, packed and unpacked: nothing else of the repository is near. */
export async function unpackPackage(): Promise<Package> {
  const base = await createFolder('package');
  const words = [
    'pack',
    '--json',
    '--ignore-scripts',
    '--pack-destination',
    base,
  ];
  const { stdout } = await run('npm', words, { cwd: repository });
  const [{ filename }]: [{ filename: string }] = JSON.parse(stdout);
  await run('tar', ['-xzf', filename], { cwd: base });
  const folder = join(base, 'package');
  return {
    folder,
    program: join(folder, 'bin/holdfast.cjs'),
    remove: () => removeFolder(base),
  };
}

/** A command of the client itself, such as `plugin install`. */
export async function client(
  version: ClientVersion,
  host: Host,
  words: readonly string[],
): Promise<string> {
  const { stdout } = await run(await installClient(version), [...words], {
    cwd: host.project.root,
    env: clientEnvironment(host.home.path, host.model.url),
  });
  return stdout;
}

/** holdfast from the package, beside the client; what it prints on both of its outputs, whether it succeeds or not. */
export async function fromPackage(
  { program }: Package,
  host: Host,
  words: readonly string[],
): Promise<string> {
  const options = {
    cwd: host.project.root,
    env: { PATH: process.env['PATH'], HOME: host.home.path },
  };
  const { stdout, stderr } = await run(
    process.execPath,
    [program, ...words],
    options,
  ).catch((error: { stdout?: string; stderr?: string }) => error);
  return `${stdout ?? ''}${stderr ?? ''}`;
}
