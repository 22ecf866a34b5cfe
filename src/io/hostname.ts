import { readFileSync } from 'node:fs';
import * as os from 'node:os';
import { errorCode } from './read-file.ts';

let known: string | undefined;

/** The name of this machine. Linux has it in a file, which a hook reads in a tenth of the time that `node:os` takes. */
export function hostname(): string {
  known ??= (process.platform === 'linux' ? nameInFile() : null) ?? os.hostname();
  return known;
}

function nameInFile(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/hostname', 'utf8').trim();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return null;
  }
}
