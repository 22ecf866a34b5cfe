import { errorCode } from './read-file.ts';

/** Whether there is a process with this id, of whichever user. If that cannot be told, it counts as running. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}
