import { constants, openSync } from 'node:fs';
import { errorCode } from './read-file.ts';
import { removeIfThere } from './remove.ts';

/** Opens a file for writing. A link or FIFO in its place is replaced instead of being followed or blocking. */
export function openRegularFile(path: string, flags: number): number {
  const careful =
    flags | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  try {
    return openSync(path, careful, 0o644);
  } catch (error) {
    // A FIFO without a reader fails with ENXIO.
    if (errorCode(error) !== 'ELOOP' && errorCode(error) !== 'ENXIO') throw error;
    removeIfThere(path);
    return openSync(path, careful, 0o644);
  }
}
