import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const CLIENT_VERSIONS = ['2.1.197', '2.1.325'] as const;
/** For tests of what an update of the client may change first; fetched by them. */
export const LATEST_CLIENT = '2.1.327';
export type ClientVersion =
  | (typeof CLIENT_VERSIONS)[number]
  | typeof LATEST_CLIENT;

/**
 * For a test of what no version does differently, because other tests run its hooks and tools in both: the newest.
 * `HOLDFAST_TEST_SCALE=1` runs it in both as well.
 */
export const ONE_VERSION: readonly ClientVersion[] =
  process.env['HOLDFAST_TEST_SCALE'] === '1'
    ? CLIENT_VERSIONS
    : CLIENT_VERSIONS.slice(-1);

const run = promisify(execFile);

/**
 * The path of the client's executable, fetched through npm the first time. Two processes may both fetch it: each
 * fills a folder of its own, and the first to rename it into place wins.
 */
export async function installClient(version: ClientVersion): Promise<string> {
  const cache =
    process.env['HOLDFAST_HOST_CACHE'] ?? join(tmpdir(), 'holdfast-host-cache');
  const home = join(cache, version);
  if (await exists(executable(home))) return executable(home);

  await mkdir(cache, { recursive: true });
  const staging = await mkdtemp(join(cache, `.${version}-`));
  try {
    await fetchClient(version, staging);
    await moveIntoPlace(staging, home);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return executable(home);
}

async function fetchClient(
  version: ClientVersion,
  folder: string,
): Promise<void> {
  // Without its own package.json, npm would use one of a parent folder.
  await writeFile(join(folder, 'package.json'), '{"private":true}\n');
  const quick = [
    '--no-audit',
    '--no-fund',
    '--no-save',
    '--ignore-scripts',
    '--loglevel=error',
    '--fetch-retries=1',
  ];
  try {
    await run('npm', ['install', ...quick, `${platformPackage()}@${version}`], {
      cwd: folder,
      // vitest.config.ts keeps these certificates from all other processes.
      env: {
        ...process.env,
        NODE_EXTRA_CA_CERTS: process.env['NPM_EXTRA_CA_CERTS'],
      },
    });
    const { stdout } = await run(executable(folder), ['--version']);
    if (!stdout.startsWith(version))
      throw new Error(`it reports version ${stdout.trim()}`);
  } catch (cause) {
    throw new Error(
      `Claude Code ${version} could not be installed (${platformPackage()}). These tests run the real client: ` +
        `npm must reach its registry, or HOLDFAST_HOST_CACHE must name a folder that already contains it.\n${reason(cause)}`,
      { cause },
    );
  }
}

async function moveIntoPlace(staging: string, home: string): Promise<void> {
  try {
    await rename(staging, home);
  } catch (error) {
    if (await exists(executable(home))) return;
    throw error;
  }
}

function executable(home: string): string {
  return join(
    home,
    'node_modules',
    platformPackage(),
    process.platform === 'win32' ? 'claude.exe' : 'claude',
  );
}

/** The client is one binary per platform. The main package picks it by an install script, which npm may refuse to run. */
function platformPackage(): string {
  const musl = process.platform === 'linux' && !hasGlibc() ? '-musl' : '';
  return `@anthropic-ai/claude-code-${process.platform}-${process.arch}${musl}`;
}

function hasGlibc(): boolean {
  const report = process.report.getReport() as {
    header?: { glibcVersionRuntime?: string };
  };
  return report.header?.glibcVersionRuntime !== undefined;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}

function reason(error: unknown): string {
  const hasOutput =
    error instanceof Error && 'stderr' in error && error.stderr !== '';
  return String(hasOutput ? error.stderr : error);
}
