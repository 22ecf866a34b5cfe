import { utimesSync } from 'node:fs';

/** As if the lock had been held for so long: nobody wants to wait for it. */
export function letTimePass(lockFile: string, seconds: number): void {
  const then = Date.now() / 1000 - seconds;
  utimesSync(lockFile, then, then);
}
