import { closeSync, constants, ftruncateSync, writeSync } from 'node:fs';
import { openRegularFile } from './open-regular-file.ts';

/** Quicker than an atomic write, for what only people read. */
export function overwriteFile(path: string, content: string): void {
  const file = openRegularFile(path, constants.O_WRONLY);
  try {
    // Cut afterwards: to empty a file first takes some file systems longer than all the rest.
    ftruncateSync(file, writeSync(file, content));
  } finally {
    closeSync(file);
  }
}
