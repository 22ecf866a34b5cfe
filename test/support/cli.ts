import { spawnSync, type SpawnSyncOptions } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { hookMemoryFile } from '../../src/files/environment.ts';
import { runResident, type ResidentCall } from './resident.ts';
import { writeTree } from './state.ts';

export const repository = fileURLToPath(new URL('../..', import.meta.url));
/** Differs from what is published in that its clock can be set. */
export const builtPackage = join(repository, 'dist/test');
export const binary = join(builtPackage, 'bin/holdfast.cjs');

export type Result = { code: number | null; stdout: string; stderr: string };

export interface CallOptions {
  session?: string;
  input?: string;
  cwd?: string;
  env?: Record<string, string>;
  /** Starts bin/holdfast.cjs for this call alone, where the process is what is tested. */
  ownProcess?: boolean;
  code?: ExpectedCode;
  /** The time that the program takes for the present one. */
  now?: string;
}

/** Where hooks keep what they must know of each other. */
export const hookMemoryOf = ({
  root,
  home,
}: Pick<Sandbox, 'root' | 'home'>): string =>
  hookMemoryFile(join(home, '.claude'), realpathSync(root));

/** What a call has to exit with, 0 if nothing is said, else it throws. Null is for a process that is killed. */
export type ExpectedCode = number | null | 'any';

export interface Sandbox {
  root: string;
  home: string;
  run: (words: string[], options?: CallOptions) => Result;
  json: (words: string[], options?: CallOptions) => unknown;
}

/** A project and a home folder outside any repository, in which the built program runs without the environment of the tests. */
export function sandbox(tree: Record<string, string> = {}): Sandbox {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-test-')));
  onTestFinished(() =>
    rmSync(base, { recursive: true, force: true, maxRetries: 5 }),
  );
  const root = join(base, 'project');
  const home = join(base, 'home');
  mkdirSync(join(root, '.git'), { recursive: true });
  mkdirSync(home);
  writeTree(root, tree);
  const run = (words: string[], options: CallOptions = {}): Result => {
    const cwd = options.cwd ?? root;
    if (cwd.startsWith(repository))
      throw new Error('tests must not run inside the repository');
    return runProgram(words, {
      cwd,
      input: options.input ?? '',
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        TZ: 'UTC',
        ...environmentOf(options),
      },
      ownProcess: options.ownProcess ?? false,
      code: options.code,
    });
  };
  const json = (words: string[], options?: CallOptions): unknown => {
    const result = run([...words, '--json'], options);
    try {
      return JSON.parse(result.stdout);
    } catch {
      throw new Error(
        `no JSON: ${words.join(' ')}\n${result.stdout}\n${result.stderr}`,
      );
    }
  };
  return { root, home, run, json };
}

export function environmentOf({
  session,
  now,
  env,
}: CallOptions): Record<string, string> {
  return {
    ...(session === undefined ? {} : { CLAUDE_CODE_SESSION_ID: session }),
    ...(now === undefined ? {} : { HOLDFAST_NOW: now }),
    ...env,
  };
}

/** Commands that go on until they are stopped. */
const LASTING = new Set(['mcp', 'ui']);

/**
 * Runs the built program: in the resident process of this worker, or in a process of its own for commands that last, for
 * variables that Node reads when it starts, and wherever a test asks for it.
 */
export function runProgram(
  words: string[],
  {
    ownProcess,
    code = 0,
    ...call
  }: Omit<ResidentCall, 'words'> & ProgramOptions,
): Result {
  if (!existsSync(binary)) throw new Error('run `npm run build` first');
  const isForNode = Object.keys(call.env).some((name) =>
    name.startsWith('NODE_'),
  );
  if (!ownProcess && !isForNode && !LASTING.has(words[0] ?? ''))
    return expectCode(code, words, runResident(binary, { words, ...call }));
  return runOther(process.execPath, [binary, ...words], { code, ...call });
}

/** Runs any program to its end. */
export function runOther(
  program: string,
  words: readonly string[],
  { code = 0, ...options }: SpawnSyncOptions & { code?: ExpectedCode },
): Result {
  const child = spawnSync(program, words, { ...options, encoding: 'utf8' });
  const { pid, error, status, stdout, stderr } = child;
  // A program that ran may have ended without reading its input.
  if (pid === 0 && error !== undefined) throw error;
  return expectCode(code, [program, ...words], {
    code: status,
    stdout,
    stderr,
  });
}

/** In the project, as somebody with an identity. */
export function git(
  { root, home }: Pick<Sandbox, 'root' | 'home'>,
  ...words: string[]
): string {
  const identity = [
    '-c',
    'user.name=Test',
    '-c',
    'user.email=test@example.invalid',
  ];
  const env = { PATH: process.env['PATH'], HOME: home };
  return runOther('git', [...identity, ...words], { cwd: root, env }).stdout;
}

type ProgramOptions = { ownProcess: boolean; code: ExpectedCode | undefined };

/** Throws what a program said unless it has exited as expected, so that no test goes on after a step that failed. */
export function expectCode(
  expected: ExpectedCode,
  words: readonly string[],
  result: Result,
): Result {
  const { code, stdout, stderr } = result;
  if (expected === 'any' || code === expected) return result;
  const call = words.join(' ');
  throw new Error(
    `\`${call}\` exited with ${code}, not ${expected}\n${stdout}\n${stderr}`,
  );
}
