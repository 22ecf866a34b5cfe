import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { runResident, type ResidentCall } from './resident.ts';
import { writeTree } from './state.ts';

export const repository = fileURLToPath(new URL('../..', import.meta.url));
export const binary = join(repository, 'bin/holdfast.cjs');

export interface Result {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface CallOptions {
  session?: string;
  input?: string;
  cwd?: string;
  env?: Record<string, string>;
  /** Starts bin/holdfast.cjs for this call alone, where the process is what is tested. */
  ownProcess?: boolean;
}

export interface Sandbox {
  root: string;
  home: string;
  run: (words: string[], options?: CallOptions) => Result;
  json: (words: string[], options?: CallOptions) => unknown;
}

/** A project and a home folder outside any repository, in which the built program runs without the environment of the tests. */
export function sandbox(tree: Record<string, string> = {}): Sandbox {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-test-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));
  const root = join(base, 'project');
  const home = join(base, 'home');
  mkdirSync(join(root, '.git'), { recursive: true });
  mkdirSync(home);
  writeTree(root, tree);
  const run = (words: string[], options: CallOptions = {}): Result => {
    const cwd = options.cwd ?? root;
    if (cwd.startsWith(repository)) throw new Error('tests must not run inside the repository');
    return runProgram(words, {
      cwd,
      input: options.input ?? '',
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        TZ: 'UTC',
        ...(options.session === undefined ? {} : { CLAUDE_CODE_SESSION_ID: options.session }),
        ...options.env,
      },
      ownProcess: options.ownProcess ?? false,
    });
  };
  const json = (words: string[], options?: CallOptions): unknown => {
    const result = run([...words, '--json'], options);
    try {
      return JSON.parse(result.stdout);
    } catch {
      throw new Error(`no JSON: ${words.join(' ')}\n${result.stdout}\n${result.stderr}`);
    }
  };
  return { root, home, run, json };
}

/** Commands that go on until they are stopped. */
const LASTING = new Set(['mcp', 'ui']);

/**
 * Runs the built program: in the resident process of this worker, or in a process of its own for commands that last, for
 * variables that Node reads when it starts, and wherever a test asks for it.
 */
export function runProgram(
  words: string[],
  { ownProcess, ...call }: Omit<ResidentCall, 'words'> & { ownProcess: boolean },
): Result {
  if (!existsSync(join(repository, 'dist/cli.cjs'))) throw new Error('run `npm run build` first');
  const isForNode = Object.keys(call.env).some((name) => name.startsWith('NODE_'));
  if (!ownProcess && !isForNode && !LASTING.has(words[0] ?? ''))
    return runResident(binary, { words, ...call });
  const child = spawnSync(process.execPath, [binary, ...words], { ...call, encoding: 'utf8' });
  return { code: child.status, stdout: child.stdout, stderr: child.stderr };
}
