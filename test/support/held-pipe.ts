import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { onTestFinished, vi } from 'vitest';
import { errorCode } from '../../src/files/read-file.ts';
import { PATIENCE } from './patience.ts';

export interface HeldPipe {
  /** Waits until a process holds it open. */
  held: () => Promise<void>;
  /** Waits until no process does any more. */
  free: () => Promise<void>;
}

/**
 * A named pipe which a command holds open for itself and all that it starts, with `exec 9>path`. So a test sees when the last
 * of them has ended, without knowing their ids.
 */
export function makeHeldPipe(path: string): HeldPipe {
  execFileSync('mkfifo', [path]);
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(file));
  return {
    held: async () => void (await vi.waitUntil(() => isHeld(file), PATIENCE)),
    free: async () => void (await vi.waitUntil(() => !isHeld(file), PATIENCE)),
  };
}

/** Reading an empty pipe says EAGAIN as long as somebody could still write to it. */
function isHeld(file: number): boolean {
  try {
    return readSync(file, Buffer.alloc(1)) > 0;
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return true;
    throw error;
  }
}
