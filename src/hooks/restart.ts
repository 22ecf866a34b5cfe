import { spawnSync } from 'node:child_process';
import { limitReading } from '../io/read-file.ts';

/** How bin/hook.sh starts Node, to save time: the hashes of strings are then the same in every process. */
const FIXED_HASHES = '--no-rehash-snapshot';

/** Strings that were made to have the same hash delay a hook by seconds if there is this much of them, not by minutes. */
const MAX_BYTES = 128_000;

/** Lets another process do the work if there is more to read; it has hashes that no repository can know. */
export function restartForMuchText(input: string): void {
  if (!process.execArgv.includes(FIXED_HASHES)) return;
  limitReading(MAX_BYTES, () => {
    const options = process.execArgv.filter((option) => option !== FIXED_HASHES);
    const { error } = spawnSync(process.execPath, [...options, ...process.argv.slice(1)], {
      input,
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    // If no process can be started, this one goes on.
    if (error === undefined) process.exit();
  });
}
