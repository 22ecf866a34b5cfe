import { readFileSync, readlinkSync } from 'node:fs';
import { errorCode } from '../io/read-file.ts';
import type { Environment } from '../state/types.ts';

/**
 * The process of the client. It stays the same across `/clear`. A process id alone is no identity: containers reuse
 * pid 1, and ids are given again after a crash.
 */
export interface ClientProcess {
  pid: string;
  /** When and in which process namespace it was started; null where that cannot be read. */
  start: string | null;
}

export function clientProcess(pid: string | undefined): ClientProcess | null {
  if (pid === undefined || !/^[0-9]{1,10}$/.test(pid)) return null;
  return { pid, start: processStart(pid) };
}

/** Known on Linux only, from /proc; elsewhere it would take a child process. */
function processStart(pid: string): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may contain anything, so fields are counted from its end. The start is field 22.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    if (ticks === undefined) return null;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim().slice(0, 8);
    const space = readlinkSync(`/proc/${pid}/ns/pid`).replace(/\D/g, '');
    return `${boot}-${space}-${ticks}`;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    // No /proc, no such process, or not permitted: the start is unknown.
    return null;
  }
}

/** Null if it cannot be told. */
export function isSameProcess(a: ClientProcess | null, b: ClientProcess | null): boolean | null {
  if (a === null || b === null) return null;
  if (a.pid !== b.pid) return false;
  return a.start === null || b.start === null ? null : a.start === b.start;
}

/** As it is kept in the record of a session. */
export function clientFields({ pid, start }: ClientProcess): Environment {
  return { claude_pid: pid, ...(start === null ? {} : { claude_start: start }) };
}

export function clientFrom(environment: Environment | undefined): ClientProcess | null {
  const { claude_pid: pid, claude_start: start } = environment ?? {};
  return pid === undefined ? null : { pid, start: start ?? null };
}
