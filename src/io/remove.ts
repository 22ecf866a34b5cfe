import { renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { errorCode } from './read-file.ts';

export function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

export function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/** Ignores everything that is not an empty, removable folder: an empty folder left behind does no harm. */
const NOT_REMOVED = new Set([
  'ENOTEMPTY',
  'EEXIST',
  'ENOENT',
  'ENOTDIR',
  'EACCES',
  'EPERM',
  'EBUSY',
  'EROFS',
]);

export function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!NOT_REMOVED.has(errorCode(error) ?? '')) throw error;
  }
}
