import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { removeIfThere } from './lock.ts';
import { codeOf } from './read-file.ts';

const APPEND =
  constants.O_RDWR |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

/** Adds a whole line, after the half one that a killed writer may have left. Returns the file's new size. */
export function appendLine(path: string, line: string): number {
  const file = openFile(path);
  try {
    const { size } = fstatSync(file);
    const last = Buffer.alloc(1);
    const isHalf = size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
    return size + writeSync(file, isHalf ? `\n${line}` : line);
  } finally {
    closeSync(file);
  }
}

/** A link in its place is replaced, not followed. */
function openFile(path: string): number {
  try {
    return openSync(path, APPEND, 0o644);
  } catch (error) {
    if (codeOf(error) !== 'ELOOP') throw error;
    removeIfThere(path);
    return openSync(path, APPEND, 0o644);
  }
}
