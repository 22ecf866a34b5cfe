import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { LockLost, removeLeftovers, temporaryName, type Lock } from './lock.ts';
import { sleep } from './sleep.ts';
import { errorCode } from './read-file.ts';
import { removeIfThere } from './remove.ts';

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
    const file = openSync(temporary, 'wx');
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
