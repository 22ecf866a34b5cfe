import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { errorCode } from './read-file.ts';

const LIMIT = 5_000;

export type Environment = Record<string, string | undefined>;

export type CommandResult =
  | { kind: 'ended'; code: number; stdout: string; stderr: string }
  | { kind: 'not there' }
  /** Without a code if the program was stopped, for example because it took too long. */
  | { kind: 'no answer'; errno: string | null };

export interface CommandOptions {
  input?: string;
  timeoutMs?: number;
  /** `latin1` keeps every byte of an output that is not text. */
  encoding?: 'utf8' | 'latin1';
  maxBytes?: number;
}

export function runCommand(
  program: string,
  args: readonly string[],
  environment: Environment,
  {
    input,
    timeoutMs = LIMIT,
    encoding = 'utf8',
    maxBytes,
  }: CommandOptions = {},
): CommandResult {
  const child = spawnSync(program, args, {
    // Not in the project, because Windows would prefer a program of that name in the current folder.
    cwd: dirname(process.execPath),
    env: environment,
    encoding,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    windowsHide: true,
    ...(maxBytes === undefined ? {} : { maxBuffer: maxBytes }),
    ...(input === undefined
      ? { stdio: ['ignore', 'pipe', 'pipe'] as const }
      : { input }),
  });
  const error = errorCode(child.error);
  if (error === 'ENOENT') return { kind: 'not there' };
  if (error !== undefined || child.status === null)
    return { kind: 'no answer', errno: error ?? null };
  return {
    kind: 'ended',
    code: child.status,
    stdout: child.stdout,
    stderr: child.stderr,
  };
}

/** Signals a process that was started detached, and everything that it has started. */
export function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], {
      stdio: 'ignore',
    });
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // The group is empty (macOS reports EPERM if only a zombie is left).
    const code = errorCode(error);
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
