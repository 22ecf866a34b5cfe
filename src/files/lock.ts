import {
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { isRunning } from './is-running.ts';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { blockedPath, locked } from './fs-errors.ts';
import { sleep } from './sleep.ts';
import {
  errorCode,
  readTextFile,
  unlessRefused,
  type Refusal,
  removeIfThere,
} from './read-file.ts';
import { isPlainId } from '../text/sanitize.ts';

/** A holder needs milliseconds; one that takes this long was suspended or its machine was. */
const STALE_AFTER = 5_000;
const NAMELESS_AFTER = 250;
const TEMPORARY = '.tmp-';

export interface Lock {
  token: string;
  isHeld: () => boolean;
}

/** Another process took the lock over from a holder that was suspended too long; its write had no effect. */
export class LockLost extends Error {}

let sequence = 0;

/**
 * Serialises writers with a file created with O_EXCL. A stale lock is taken over in two steps, first the lock, then
 * the old holder's temporary files, so that a holder that wakes up can no longer rename anything into place.
 */
export function withLock<T>(path: string, waitMs: number, work: (lock: Lock) => T): T {
  const token = `${process.pid}-${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;
  acquire(path, token, waitMs);
  const isHeld = (): boolean => isOwner(path, token);
  try {
    return work({ token, isHeld });
  } finally {
    if (isHeld()) removeIfThere(path);
  }
}

/** What a writer would find: `held` by a working process, `stale`, or `free`, with or without leftover files. */
export function inspectLock(path: string): {
  state: 'free' | 'held' | 'stale';
  leftovers: string[];
} {
  const owner = ownerOf(path);
  if (owner !== null && !isStale(owner, 0)) return { state: 'held', leftovers: [] };
  return { state: owner === null ? 'free' : 'stale', leftovers: leftoversOf(path) };
}

/** The name of a temporary file, which contains the token of its owner. */
export function temporaryName(folder: string, token: string): string {
  sequence += 1;
  return join(folder, `${TEMPORARY}${token}-${sequence}`);
}

function acquire(path: string, token: string, waitMs: number): void {
  const started = milliseconds();
  const seen = { token: '', since: started };
  for (let wait = 1; ; wait = Math.min(wait * 2, 20)) {
    if (tryCreate(path, token)) {
      removeLeftovers(path);
      return;
    }
    const now = milliseconds();
    const owner = ownerOf(path);
    if (owner !== null && seen.token !== owner.token)
      Object.assign(seen, { token: owner.token, since: now });
    // The clock may have been set back, so the time this process has waited itself counts too.
    if (owner !== null && isStale(owner, now - seen.since) && takeOver(path, owner, token)) return;
    if (now - started >= waitMs) throw locked(path, waitMs);
    sleep(wait + Math.random() * wait);
  }
}

function tryCreate(path: string, token: string): boolean {
  let file: number;
  try {
    file = openSync(path, 'wx');
  } catch (error) {
    // Windows reports EPERM while the former lock file is still being deleted.
    if (
      errorCode(error) === 'EEXIST' ||
      (process.platform === 'win32' && errorCode(error) === 'EPERM')
    ) {
      return false;
    }
    throw error;
  }
  try {
    writeSync(file, `${token} ${process.pid} ${hostname()}`);
  } catch (error) {
    // The disk is full: a lock without an owner would keep other processes waiting.
    removeIfThere(path);
    throw error;
  } finally {
    closeSync(file);
  }
  return true;
}

/** Whether the lock is still that of this process, which has created it: nothing else has to be expected there. */
function isOwner(path: string, token: string): boolean {
  return unlessRefused(() => readFileSync(path, 'utf8'))?.startsWith(`${token} `) === true;
}

interface Owner {
  token: string;
  pid: number;
  host: string;
  age: number;
}

function ownerOf(path: string): Owner | null {
  const file = readTextFile(path, 1_000, 'refused');
  if (file.kind === 'absent') return null;
  if (file.kind === 'refused') return ownerOfLink(path, file.why);
  const [given = '', pid = '', host = ''] = file.text.split(' ');
  // The token becomes part of a file name, and the lock file may come from an untrusted repository.
  const token = isPlainId(given) ? given : '';
  return { token, pid: Number(pid), host, age: Date.now() - file.modifiedAt };
}

/** Writers never create links, so a link counts as a lock without an owner and is not followed. */
function ownerOfLink(path: string, why: Refusal): Owner | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  // Another process has just taken it over.
  if (stat === undefined || (stat.isFile() && why === 'not a file')) return null;
  if (!stat.isSymbolicLink()) throw blockedPath(path, 'file');
  return { token: '', pid: NaN, host: '', age: Date.now() - stat.mtimeMs };
}

function isStale(owner: Owner, watched: number): boolean {
  // Its writer was killed before it wrote its token.
  const bound = owner.token === '' ? NAMELESS_AFTER : STALE_AFTER;
  // One from the future came with an archive, or from a machine whose clock is wrong.
  if (Math.max(Math.abs(owner.age), watched) > bound) return true;
  return owner.token !== '' && owner.host === hostname() && !isRunning(owner.pid);
}

/** Only one process per period takes over a stale lock: the one that creates the file named after both. */
function takeOver(path: string, owner: Owner, token: string): boolean {
  const period = Math.floor(Math.max(owner.age, 0) / STALE_AFTER);
  const claim = `${path}-taken-${owner.token}-${period}`;
  if (!tryCreate(claim, token)) return false;
  if (ownerOf(path)?.token !== owner.token) {
    removeIfThere(claim);
    return false;
  }
  try {
    renameSync(claim, path);
  } catch (error) {
    // This process was suspended for so long that another one has removed its claim.
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
  removeLeftovers(path);
  return true;
}

/**
 * Removes what killed writers left next to a file. The process that has just got the lock has no temporary file yet,
 * and no other process may have one.
 */
export function removeLeftovers(path: string): void {
  for (const name of leftoversOf(path)) removeIfThere(join(dirname(path), name));
}

function leftoversOf(path: string): string[] {
  const claims = `${basename(path)}-taken-`;
  const folder = dirname(path);
  return readdirSync(folder)
    .filter((name) => name.startsWith(TEMPORARY) || name.startsWith(claims))
    .filter((name) => !isDirectory(join(folder, name)));
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** `performance.now` would take a hook a millisecond to load. */
function milliseconds(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
