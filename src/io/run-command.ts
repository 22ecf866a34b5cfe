import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { errorCode } from './read-file.ts';

const LIMIT = 5_000;

export type Environment = Record<string, string | undefined>;

export type CommandResult =
  | { kind: 'ended'; code: number; stdout: string; stderr: string }
  | { kind: 'not there' }
  | { kind: 'no answer'; why: string };

/** What a program answers within a few seconds, without a shell. */
export function runCommand(
  program: string,
  args: readonly string[],
  environment: Environment,
): CommandResult {
  const child = spawnSync(program, args, {
    // Not in the project: Windows would prefer a program of that name which lies there.
    cwd: dirname(process.execPath),
    env: environment,
    encoding: 'utf8',
    timeout: LIMIT,
    killSignal: 'SIGKILL',
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const error = errorCode(child.error);
  if (error === 'ENOENT') return { kind: 'not there' };
  if (error !== undefined || child.status === null)
    return { kind: 'no answer', why: error ?? 'it was stopped' };
  return { kind: 'ended', code: child.status, stdout: child.stdout, stderr: child.stderr };
}
