import { closeSync, constants, writeSync } from 'node:fs';
import { openPlain } from './open-plain.ts';

/** Quicker than an atomic write, for what is read under the lock only, and where half of it is read as nothing. */
export function overwriteFile(path: string, content: string): void {
  const file = openPlain(path, constants.O_WRONLY | constants.O_TRUNC);
  try {
    writeSync(file, content);
  } finally {
    closeSync(file);
  }
}
