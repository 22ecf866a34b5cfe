import { readFileSync } from 'node:fs';
import { isRunning } from '../../io/is-running.ts';
import { errorCode } from '../../io/read-file.ts';
import { runCommand } from '../../io/run-command.ts';
import { clientProcess } from '../../sessions/client-process.ts';
import type { ClientRecord } from './driver-memory.ts';

/** Whether a client that is recorded still runs. */
export function isRunningClient({ pid, start, session }: ClientRecord): boolean {
  return isSameRunningProcess({ pid, start }, session);
}

/**
 * Whether the process that is recorded still runs. Process ids are given again, and a record can come with a project, so
 * the id alone proves nothing: its start has to be the same, or, where that cannot be read, its command has to contain
 * `word`.
 */
export function isSameRunningProcess(
  { pid, start }: { pid: number; start: string | null },
  word: string,
): boolean {
  if (!Number.isSafeInteger(pid) || pid < 2) return false;
  if (!isRunning(pid) || isZombie(pid)) return false;
  const now = clientProcess(String(pid))?.start ?? null;
  if (now !== null) return now === start;
  const command = runCommand('ps', ['-ww', '-o', 'command=', '-p', String(pid)], process.env);
  return command.kind === 'ended' && command.stdout.includes(word);
}

/** It has ended, but its parent has not asked how, so it keeps its id: in a container there may be nobody who asks. */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The state follows the name in parentheses, which may contain anything.
    return stat.charAt(stat.lastIndexOf(')') + 2) === 'Z';
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    // Not Linux, or gone by now.
    return false;
  }
}
