import { utimesSync } from 'node:fs';

/** Backdates a lock, so that the test need not wait for it to become stale. */
export function letTimePass(lockFile: string, seconds: number): void {
  const then = Date.now() / 1000 - seconds;
  utimesSync(lockFile, then, then);
}
