import { spawnSync } from 'node:child_process';
import { basename, dirname } from 'node:path';

/** Whether git has this file in its index; false where there is no git. */
export function isTracked(path: string): boolean {
  const { status } = spawnSync('git', ['ls-files', '--error-unmatch', '--', basename(path)], {
    cwd: dirname(path),
    stdio: 'ignore',
    timeout: 5_000,
  });
  return status === 0;
}
