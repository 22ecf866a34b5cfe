import { closeSync, constants, ftruncateSync, writeSync } from 'node:fs';
import { openRegularFile } from './open-regular-file.ts';

/** Faster than an atomic write, for files that only people read. */
export function overwriteFile(path: string, content: string): void {
  const file = openRegularFile(path, constants.O_WRONLY);
  try {
    // Truncated afterwards, because emptying a file first is slow on some file systems.
    ftruncateSync(file, writeSync(file, content));
  } finally {
    closeSync(file);
  }
}
