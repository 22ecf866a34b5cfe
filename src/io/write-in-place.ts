import {
  closeSync,
  constants,
  fstatSync,
  readSync,
  writeSync,
  ftruncateSync,
  openSync,
  writeFileSync,
} from 'node:fs';
import { LockLost } from './lock.ts';
import { errorCode } from './read-file.ts';
import { removeIfThere } from './remove.ts';

/**
 * Appends a line, on a new line if a killed writer left a partial one. It is one write, so that processes can append to
 * the same file without a lock. Returns the file's new size.
 */
export function appendLine(path: string, line: string): number {
  return append(path, (file, isHalf) => writeFileSync(file, `${isHalf ? '\n' : ''}${line}\n`));
}

/**
 * Appends a line under a lock and ends it after `work`; if that fails, the line is removed. `halfEnd` returns how to end a
 * line that a killed writer left without its end. Returns the file's new size.
 */
export function appendLineAround(
  path: string,
  line: string,
  work: () => void,
  halfEnd: () => string,
): number {
  return append(path, (file, isHalf, size) => {
    try {
      writeFileSync(file, isHalf ? halfEnd() + line : line);
      work();
    } catch (error) {
      // The process that has the lock now has ended the line, and may have written more.
      if (!(error instanceof LockLost)) ftruncateSync(file, size);
      throw error;
    }
    writeFileSync(file, '\n');
  });
}

function append(
  path: string,
  write: (file: number, isHalf: boolean, size: number) => void,
): number {
  const file = openRegularFile(path, constants.O_RDWR | constants.O_APPEND);
  try {
    const { size } = fstatSync(file);
    const last = Buffer.alloc(1);
    const isHalf = size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
    write(file, isHalf, size);
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}

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

/** Opens a file for writing. A link or FIFO in its place is replaced instead of being followed or blocking. */
function openRegularFile(path: string, flags: number): number {
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
