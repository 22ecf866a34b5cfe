import { isRunning } from '../files/lock.ts';
import { runCommand } from '../files/run-command.ts';
import { clientProcess, processStart } from '../sessions/client-process.ts';

/** A process as it is recorded. `start` is null where that cannot be read. */
export type RecordedProcess = { pid: number; start: string | null };

/** 0 and 1 stand for the own group and the first process of a machine or container, to which no signal may go. */
const LEAST_PID = 2;

/**
 * Whether the process that is recorded still runs. Process ids are given again, and a record can come with a project, so
 * the id alone proves nothing: its start has to be the same, or, where that cannot be read, its command has to contain
 * `word`.
 */
export function isSameRunningProcess(
  { pid, start }: RecordedProcess,
  word: string,
): boolean {
  if (!Number.isSafeInteger(pid) || pid < LEAST_PID) return false;
  if (!isRunning(pid)) return false;
  const startNow = processStart(String(pid));
  if (startNow !== null) return startNow === start;
  return commandOf(pid)?.includes(word) ?? false;
}

function commandOf(pid: number): string | null {
  const ps = runCommand(
    'ps',
    ['-ww', '-o', 'command=', '-p', String(pid)],
    process.env,
  );
  return ps.kind === 'ended' ? ps.stdout : null;
}

/** When a process began; null where that cannot be read. */
export function startOf(pid: number): string | null {
  return clientProcess(String(pid))?.start ?? null;
}
