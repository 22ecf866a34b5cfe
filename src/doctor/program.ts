import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { codeOf } from '../io/read-file.ts';
import type { Examined } from './types.ts';

const LIMIT = 5_000;

export type Answer =
  | { kind: 'ended'; code: number; stdout: string; stderr: string }
  | { kind: 'not there' }
  | { kind: 'no answer'; why: string };

/** What a program answers within a few seconds. */
export function ask(
  program: string,
  args: readonly string[],
  { environment }: Pick<Examined, 'environment'>,
): Answer {
  const child = spawnSync(program, args, {
    // Not in the project: Windows would prefer a program of that name which lies there.
    cwd: dirname(process.execPath),
    // A git hook that runs this sets GIT_DIR and its like, which would lead git into another repository.
    env: Object.fromEntries(
      Object.entries(environment).filter(([name]) => !name.startsWith('GIT_')),
    ),
    encoding: 'utf8',
    timeout: LIMIT,
    killSignal: 'SIGKILL',
    windowsHide: true,
    // On Windows npm installs programs as scripts, which only a shell starts. All words here are our own.
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const error = codeOf(child.error);
  if (error === 'ENOENT') return { kind: 'not there' };
  if (error !== undefined || child.status === null)
    return { kind: 'no answer', why: error ?? 'it was stopped' };
  return { kind: 'ended', code: child.status, stdout: child.stdout, stderr: child.stderr };
}
