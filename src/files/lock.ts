import {
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isPlainId } from '../text/sanitize.ts';
import { blockedPath, locked } from './fs-errors.ts';
import { errorCode, removeIfThere, unlessRefused } from './read-file.ts';

/** A holder needs milliseconds; one that takes this long was suspended or its machine was. */
const STALE_AFTER_MS = 5_000;
/** The clocks of this machine and of the one that keeps its files may differ. */
const CLOCK_TOLERANCE_MS = 60_000;
/** For a lock whose writer was killed before it wrote its token. */
const NAMELESS_AFTER_MS = 250;
/** Between two looks at a lock that another process holds. */
const MAX_PAUSE_MS = 20;
const TEMPORARY = '.tmp-';
const MAX_BYTES = 1_000;

export type Lock = { token: string; isHeld: () => boolean };

/** Another process took the lock over from a holder that was suspended too long; its write had no effect. */
export class LockLost extends Error {}

/**
 * Serialises writers with a file created with O_EXCL. A stale lock is taken over in two steps, first the lock, then
 * the old holder's temporary files, so that a holder that wakes up can no longer rename anything into place.
 */
export function withLock<T>(
  path: string,
  waitMs: number,
  work: (lock: Lock) => T,
): T {
  const token = `${process.pid}-${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;
  const owner = `${token} ${process.pid} ${hostname()}`;
  acquire(path, owner, waitMs);
  const isHeld = (): boolean => textIn(path) === owner;
  try {
    return work({ token, isHeld });
  } finally {
    if (isHeld()) removeIfThere(path);
  }
}

let sequence = 0;

/** The name of a temporary file, which contains the token of its owner. */
export function temporaryName(folder: string, { token }: Lock): string {
  sequence += 1;
  return join(folder, `${TEMPORARY}${token}-${sequence}`);
}

function acquire(path: string, self: string, waitMs: number): void {
  // The uptime, because nobody sets that clock.
  const endSeconds = process.uptime() + waitMs / 1_000;
  let pauseMs = 1;
  while (!tryCreate(path, self)) {
    const owner = ownerOf(path);
    if (owner !== null && isStale(owner) && takeOver(path, owner, self)) break;
    if (process.uptime() >= endSeconds) throw locked(path, waitMs);
    // By chance, so that several that wait do not all come back at once.
    sleep(pauseMs + Math.random() * pauseMs);
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
  }
  removeLeftovers(path);
}

function tryCreate(path: string, self: string): boolean {
  let file: number;
  try {
    file = openSync(path, 'wx');
  } catch (error) {
    const code = errorCode(error);
    // Windows reports EPERM while the former lock file is still being deleted.
    if (code === 'EEXIST' || (process.platform === 'win32' && code === 'EPERM'))
      return false;
    throw error;
  }
  try {
    writeSync(file, self);
  } catch (error) {
    // The disk is full: a lock without an owner would keep other processes waiting.
    removeIfThere(path);
    throw error;
  } finally {
    closeSync(file);
  }
  // Not so if this process was suspended before it wrote its token, and another one has taken the lock meanwhile.
  return textIn(path) === self;
}

const textIn = (path: string): string | null =>
  unlessRefused(() => readFileSync(path, 'utf8'));

type Owner = { token: string; pid: number; host: string; age: number };

/** The lock may come from an untrusted repository. A link is not followed and has no owner. */
function ownerOf(path: string): Owner | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  if (stat.isDirectory() || stat.isFIFO()) throw blockedPath(path, 'file');
  const text = stat.isFile() && stat.size < MAX_BYTES ? textIn(path) : '';
  // Another process has just removed it.
  if (text === null) return null;
  const [token = '', pid, host = ''] = text.split(' ');
  // The token becomes part of a file name.
  const safe = isPlainId(token) ? token : '';
  return {
    token: safe,
    pid: Number(pid),
    host,
    age: Date.now() - stat.mtimeMs,
  };
}

function isStale({ token, pid, host, age }: Owner): boolean {
  // One from the future came with an archive, or from before the clock was set back.
  const limit = token === '' ? NAMELESS_AFTER_MS : STALE_AFTER_MS;
  if (Math.abs(age) > limit) return true;
  return token !== '' && host === hostname() && !isRunning(pid);
}

/** Only one process per period takes over a stale lock: the one that creates the file named after both. */
function takeOver(path: string, owner: Owner, self: string): boolean {
  // Also for a lock from the future the period changes with time, so that no leftover claim blocks it for ever.
  const period = Math.floor(Math.abs(owner.age) / STALE_AFTER_MS);
  const claim = `${path}-taken-${owner.token}-${period}`;
  if (!tryCreate(claim, self)) return false;
  try {
    if (ownerOf(path)?.token === owner.token) {
      renameSync(claim, path);
      return true;
    }
  } catch (error) {
    // This process was suspended for so long that another one has removed its claim.
    if (errorCode(error) === 'ENOENT') return false;
    removeIfThere(claim);
    throw error;
  }
  removeIfThere(claim);
  return false;
}

/**
 * Removes what killed writers left next to a file. The process that has just got the lock has no temporary file yet,
 * and no other process may have one.
 */
export function removeLeftovers(path: string): void {
  const claims = `${basename(path)}-taken-`;
  for (const entry of readdirSync(dirname(path), { withFileTypes: true })) {
    const { name } = entry;
    const isLeftover = name.startsWith(TEMPORARY) || name.startsWith(claims);
    if (isLeftover && !entry.isDirectory())
      removeIfThere(join(dirname(path), name));
  }
}

/**
 * What is wrong with that which is in the place of a lock; null for nothing, and for the lock of a writer. A folder or a
 * pipe blocks every writer, a lock from the future those of older versions.
 */
export function lockDefect(
  path: string,
): 'not a file' | 'from the future' | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  if (!stat.isFile() && !stat.isSymbolicLink()) return 'not a file';
  return stat.mtimeMs - Date.now() > CLOCK_TOLERANCE_MS
    ? 'from the future'
    : null;
}

/** Whether there is a process with this id, of whichever user. If that cannot be told, it counts as running. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}

/** Blocks the thread, because hooks are synchronous throughout. */
export function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
