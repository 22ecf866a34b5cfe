import { readFileSync, readlinkSync } from 'node:fs';
import { unlessRefused } from '../io/read-file.ts';
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

/** Known on Linux only, from /proc; elsewhere it would take a child process. Null also without permission. */
function processStart(pid: string): string | null {
  return unlessRefused(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may contain anything, so fields are counted from its end. The start is field 22.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return ticks === undefined ? null : `${bootId()}-${namespaceOf(pid)}-${ticks}`;
  });
}

/** Changes when the machine restarts; null where it cannot be read. */
export function bootId(): string | null {
  return unlessRefused(() =>
    readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim().slice(0, 8),
  );
}

function namespaceOf(pid: string): string {
  return readlinkSync(`/proc/${pid}/ns/pid`).replace(/\D/g, '');
}

/**
 * Whether the client of a session is proved gone: the machine was restarted since, the process is no longer there, or it
 * runs another session by now, as after a fork. Where nothing can be read, nothing is proved.
 */
export function isClientGone(
  environment: Environment | undefined,
  caller: { client: ClientProcess | null; isSameSession: boolean },
): boolean {
  const boot = bootId();
  if (boot === null) return false;
  if (environment?.boot !== undefined && environment.boot !== boot) return true;
  const client = clientFrom(environment);
  if (client === null || client.start === null) return false;
  if (isSameProcess(client, caller.client) === true) return !caller.isSameSession;
  const [, space] = client.start.split('-');
  // A process of another container cannot be looked at from here.
  if (space !== unlessRefused(() => namespaceOf('self'))) return false;
  return isSameProcess(client, { ...client, start: processStart(client.pid) ?? '' }) === false;
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
