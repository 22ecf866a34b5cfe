import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import {
  binary,
  environmentOf,
  expectCode,
  runProgram,
  type CallOptions,
  type Result,
} from './cli.ts';
import { sharedFolder } from './shared-folder.ts';
import { onlyRun } from './state.ts';

/** A clone on a machine of its own: with its own home folder, outside any repository of the tests. */
export interface TestClone {
  root: string;
  home: string;
  /** Runs the built program without the environment of the tests. */
  run: (words: string[], options?: CallOptions) => Result;
  /** The same, while this process goes on, for example as the server. */
  runAsync: (words: string[], options?: CallOptions) => Promise<Result>;
  /** The JSON that it prints; throws if there is none. */
  json: (words: string[], options?: CallOptions) => Record<string, unknown>;
  git: (...words: string[]) => string;
  /** The names, files and messages of every commit that refs of holdfast reach, as text. */
  everythingSent: () => string;
}

export interface Hub {
  /** The bare repository. */
  path: string;
  base: string;
  git: (...words: string[]) => string;
  clone: (
    name: string,
    options?: { url?: string; words?: string[] },
  ) => TestClone;
}

const IDENTITY = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org'];

/** A bare repository with one commit, and as many clones of it as a test wants. */
export function makeHub(): Hub {
  const base = temporaryFolder();
  removeAfterTest(base);
  return hubIn(base);
}

/**
 * A hub with clones in the state that `make` brings about, which happens once in a test file. Each call puts every file
 * back as it was then, and in the same place, because the id of a machine depends on the folder of its clone.
 */
export function prepareHub<T extends object>(
  make: (hub: Hub) => T,
): () => T & { hub: Hub } {
  let prepared: { made: T & { hub: Hub }; copy: string } | undefined;
  return () => {
    if (prepared === undefined) {
      const hub = makeHub();
      const made = { ...make(hub), hub };
      const copy = mkdtempSync(join(sharedFolder(), 'prepared-'));
      copyFolder(hub.base, copy);
      prepared = { made, copy };
    } else {
      const { base } = prepared.made.hub;
      if (existsSync(base))
        throw new Error('a test can use a prepared hub once');
      removeAfterTest(base);
      copyFolder(prepared.copy, base);
    }
    return prepared.made;
  };
}

function hubIn(base: string): Hub {
  const path = join(base, 'hub.git');
  const { base: template } = madeOnce();
  copyFolder(join(template, 'hub.git'), path);
  const clone: Hub['clone'] = (name, { url = path, words = [] } = {}) => {
    const home = join(base, `home-of-${name}`);
    mkdirSync(home);
    const root = join(base, name);
    if (url === path && words.length === 0) copyClone(template, root, path);
    else gitIn(base, base)('clone', '-q', ...words, url, root);
    return cloneAt(root, home);
  };
  return { path, base, git: gitIn(path, base), clone };
}

/** Copying the files of a repository takes a tenth of the time that git needs to make them. */
let made: { base: string } | undefined;

function madeOnce(): { base: string } {
  if (made !== undefined) return made;
  const base = realpathSync(mkdtempSync(join(sharedFolder(), 'hub-')));
  made = { base };
  const anywhere = gitIn(base, base);
  anywhere('init', '-q', '--bare', '-b', 'main', 'hub.git');
  anywhere('clone', '-q', join(base, 'hub.git'), 'seed');
  const seed = gitIn(join(base, 'seed'), base);
  writeFileSync(join(base, 'seed/README.md'), '# shop\n');
  seed('add', '.');
  seed('commit', '-q', '-m', 'first');
  seed('push', '-q', 'origin', 'HEAD:main');
  anywhere('clone', '-q', join(base, 'hub.git'), 'clone');
  for (const folder of ['hub.git', 'clone/.git']) {
    for (const sample of readdirSync(join(base, folder, 'hooks')))
      rmSync(join(base, folder, 'hooks', sample));
    // What is only there for years of use or for a power failure takes a process, or a wait for the disk, each time.
    anywhere('-C', folder, 'config', 'receive.autogc', 'false');
    anywhere('-C', folder, 'config', 'core.fsync', 'none');
  }
  return made;
}

function copyClone(template: string, root: string, url: string): void {
  copyFolder(join(template, 'clone'), root);
  const config = join(root, '.git/config');
  const text = readFileSync(config, 'utf8');
  writeFileSync(
    config,
    text.replace(join(template, 'hub.git'), () => url),
  );
}

function copyFolder(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true });
}

function removeAfterTest(folder: string): void {
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
}

function temporaryFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-sync-')));
}

function gitIn(folder: string, home: string): (...words: string[]) => string {
  return (...words) =>
    execFileSync('git', [...IDENTITY, ...words], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' },
    });
}

/** What the program and git see of a project in `root`. */
export function cloneAt(root: string, home: string): TestClone {
  const environment = (
    options: CallOptions,
  ): Record<string, string | undefined> => ({
    PATH: process.env['PATH'],
    HOME: home,
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    ...environmentOf(options),
  });
  const run: TestClone['run'] = (words, options = {}) =>
    runProgram(words, {
      cwd: options.cwd ?? root,
      input: options.input ?? '',
      env: environment(options),
      ownProcess: options.ownProcess ?? false,
      code: options.code,
    });
  const runAsync: TestClone['runAsync'] = async (
    words,
    { code = 0, ...options } = {},
  ) => {
    const child = spawn(process.execPath, [binary, ...words], {
      cwd: options.cwd ?? root,
      env: environment(options),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    await once(child, 'close');
    return expectCode(code, words, { code: child.exitCode, stdout, stderr });
  };
  const git = gitIn(root, home);
  return {
    root,
    home,
    run,
    runAsync,
    git,
    json: (words, options) => {
      const result = run([...words, '--json'], options);
      try {
        return JSON.parse(result.stdout);
      } catch {
        throw new Error(
          `no JSON: ${words.join(' ')}\n${result.stdout}\n${result.stderr}`,
        );
      }
    },
    everythingSent: () => {
      const refs = git(
        'for-each-ref',
        '--format=%(refname)',
        'refs/holdfast',
        'refs/worktree',
      )
        .split('\n')
        .filter((ref) => ref !== '');
      if (refs.length === 0) return '';
      // Without hashes, in which any short text can be found by chance.
      const format = '--format=%an %ae %at %cn %ce %ct %B';
      const log = git(
        'log',
        format,
        '-m',
        '-p',
        '--root',
        '--text',
        '--no-renames',
        ...refs,
      );
      return [
        ...refs,
        log.replace(/^index [0-9a-f]+\.\.[0-9a-f]+.*$/gm, ''),
      ].join('\n');
    },
  };
}

/** The output of a call that must succeed. */
export function ok(result: Result): string {
  if (result.code !== 0)
    throw new Error(`exit ${result.code}\n${result.stdout}\n${result.stderr}`);
  return result.stdout;
}

/** What the last one gets from the others, they get from it: it does not have to sync again. */
export function exchange(...clones: TestClone[]): void {
  for (const clone of [...clones, ...clones.slice(0, -1)])
    ok(clone.run(['sync']));
}

/** Refused in one line. */
export function expectRefusal(result: Result, sentence: RegExp): void {
  expect(result.code).toBe(1);
  expect(result.stderr.trim().split('\n')).toHaveLength(1);
  expect(result.stderr).toMatch(sentence);
}

/** A clone with sync on and a run that was not sent yet. */
export function unsentRun(hub: Hub): {
  a: TestClone;
  runId: string;
  ref: string;
} {
  const a = hub.clone('a');
  ok(a.run(['start', 'Shop', '--phases', 'A,B,C']));
  ok(a.run(['sync', 'on', 'origin']));
  const runId = String(onlyRun(a.root).run_id);
  return { a, runId, ref: `refs/holdfast/runs/-/${runId}` };
}

/** What sync must leave alone: branches, index, work tree, stash, reflogs, FETCH_HEAD. */
export function untouched({ git, root }: TestClone): object {
  const folder = git('rev-parse', '--absolute-git-dir').trim();
  // First, because it updates the index of a clone whose files were copied.
  const status = existsSync(join(root, '.git'))
    ? git('status', '--porcelain', '--ignored=no')
    : '';
  const textOf = (name: string): string | null =>
    existsSync(join(folder, name))
      ? readFileSync(join(folder, name), 'latin1')
      : null;
  return {
    refs: git('for-each-ref').replace(
      /^.*refs\/(?:holdfast|worktree)\/.*\n/gm,
      '',
    ),
    head: textOf('HEAD'),
    index: textOf('index'),
    fetched: textOf('FETCH_HEAD'),
    log: git('reflog', '--all'),
    stash: git('stash', 'list'),
    status,
  };
}

/** Serves the hub by http, as `git http-backend` does behind a web server. */
export async function serve(
  hub: Hub,
  options: { password?: string } = {},
): Promise<string> {
  const server: Server = createServer((request, response) => {
    const expected = `Basic ${Buffer.from(`ann:${options.password ?? ''}`).toString('base64')}`;
    if (
      options.password !== undefined &&
      request.headers.authorization !== expected
    ) {
      response
        .writeHead(401, { 'WWW-Authenticate': 'Basic realm="shop"' })
        .end();
      return;
    }
    const url = new URL(request.url ?? '/', 'http://localhost');
    const child = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env['PATH'],
        HOME: hub.base,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_PROJECT_ROOT: hub.base,
        GIT_HTTP_EXPORT_ALL: '1',
        REMOTE_USER: 'ann',
        PATH_INFO: url.pathname,
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method ?? 'GET',
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
    });
    request.pipe(child.stdin);
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('close', () => {
      const output = Buffer.concat(chunks);
      const end = output.indexOf('\r\n\r\n');
      const headers = output
        .subarray(0, end)
        .toString()
        .split('\r\n')
        .map((line): [string, string] => [
          line.split(': ')[0] ?? '',
          line.split(': ')[1] ?? '',
        ]);
      const status = Number(
        headers.find(([name]) => name === 'Status')?.[1].slice(0, 3) ?? 200,
      );
      response.writeHead(status, Object.fromEntries(headers));
      response.end(output.subarray(end + 4));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('it listens on a port');
  return `http://127.0.0.1:${address.port}/hub.git`;
}

/** A port of this machine that accepts connections and says nothing. */
export async function silentPort(): Promise<number> {
  const server = createSocketServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('it listens on a port');
  return address.port;
}

/** A folder for the PATH whose `git` runs `script` first; `$real` is the real git. */
export function fakeGit(folder: string, script: string): string {
  mkdirSync(folder, { recursive: true });
  const real = execFileSync('sh', ['-c', 'command -v git'], {
    encoding: 'utf8',
  }).trim();
  const path = join(folder, 'git');
  writeFileSync(
    path,
    `#!/bin/sh\nreal=${real}\n${script}\nexec "$real" "$@"\n`,
  );
  chmodSync(path, 0o755);
  return `${folder}:${process.env['PATH'] ?? ''}`;
}
