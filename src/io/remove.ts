import { renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { errorCode, unlessRefused } from './read-file.ts';

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

/** Ignores every refusal: a folder left behind does no harm. */
export function removeIfEmpty(folder: string): void {
  unlessRefused(() => rmdirSync(folder));
}
