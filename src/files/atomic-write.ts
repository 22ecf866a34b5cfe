import {
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  writeFileSync,
  constants,
  fstatSync,
  readSync,
  writeSync,
  ftruncateSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { LockLost, removeLeftovers, temporaryName, type Lock } from './lock.ts';
import { sleep } from './sleep.ts';
import { errorCode, removeIfThere } from './read-file.ts';

/** Runs, logs and streams have what was said in a session, so nobody else may read them. */
const PRIVATE = 0o600;

/**
 * Replaces `target` atomically. The temporary file is made in `folder`, next to the lock, where the next writer removes
 * what a killed one left. Without `isDurable` it is faster, but the content may not survive a power loss.
 */
export function replaceFile(
  lock: Lock,
  folder: string,
  target: string,
  content: string,
  options: { isDurable: boolean } = { isDurable: true },
): void {
  try {
    writeAndRename(lock, folder, target, content, options);
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error;
    // The target is on another device than the lock, so the temporary file must be next to the target.
    removeLeftovers(target);
    writeAndRename(lock, dirname(target), target, content, options);
  }
}

function writeAndRename(
  lock: Lock,
  folder: string,
  target: string,
  content: string,
  { isDurable }: { isDurable: boolean },
): void {
  const temporary = temporaryName(folder, lock.token);
  try {
    const file = openSync(temporary, 'wx', PRIVATE);
    try {
      writeFileSync(file, content);
      if (isDurable) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (!lock.isHeld()) throw new LockLost();
    renameWithRetry(temporary, target);
  } catch (error) {
    removeIfThere(temporary);
    // Another process took over the lock and removed the temporary file.
    throw errorCode(error) === 'ENOENT' ? new LockLost() : error;
  }
}

/** On Windows a virus scanner or an editor can keep the target open for a moment. */
export function renameWithRetry(
  from: string,
  to: string,
  triesLeft = process.platform === 'win32' ? 10 : 0,
): void {
  try {
    renameSync(from, to);
  } catch (error) {
    const code = errorCode(error);
    if (triesLeft === 0 || (code !== 'EPERM' && code !== 'EACCES' && code !== 'EBUSY')) throw error;
    sleep(20);
    renameWithRetry(from, to, triesLeft - 1);
  }
}

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
    return openSync(path, careful, PRIVATE);
  } catch (error) {
    // A FIFO without a reader fails with ENXIO.
    if (errorCode(error) !== 'ELOOP' && errorCode(error) !== 'ENXIO') throw error;
    removeIfThere(path);
    return openSync(path, careful, PRIVATE);
  }
}
