import { hostname } from 'node:os';
import { join } from 'node:path';
import fse from 'fs-extra';
import { HoldfastError } from '../text/holdfast-error.ts';
import { replaceFile } from '../files/atomic-write.ts';
import { translateFsErrors } from '../files/fs-errors.ts';
import { withLock, type Lock } from '../files/lock.ts';
import { unlessRefused, removeIfThere } from '../files/read-file.ts';
import { readDriverFile } from '../sessions/client-process.ts';
import { driverFile, logFolder } from '../state/paths.ts';
import { makeFolder } from '../state/store/state-folder.ts';
import { isObject, type JsonObject } from '../text/json.ts';
import { asWord } from '../text/sanitize.ts';
import { memoryIn, type DriverMemory } from './driver-memory.ts';
import {
  isSameRunningProcess,
  startOf,
  type RecordedProcess,
} from './running-process.ts';

const HEARTBEAT_MS = 20_000;
/** A driver that cannot be asked whether it lives, as it is on another machine or before a restart, is dead after this. */
const STALE_MS = 120_000;
const LOCK_WAIT_MS = 10_000;

/** The record of a run's driver: at most one process owns it. Throws `second_driver` if another one drives the run. */
export function acquireRecord(root: string, runId: string): DriverRecord {
  const place = recordPlace(root, runId);
  return withRecord(place, (lock, json) => {
    const owner = ownerIn(json);
    if (owner !== null && isAtWork(owner, place.path))
      throw secondDriver(runId, owner);
    const memory = memoryIn(json);
    writeRecord(lock, place, lock.token, memory);
    return new DriverRecord(place, lock.token, memory, owner?.pid ?? null);
  });
}

export class DriverRecord {
  readonly #heartbeat: NodeJS.Timeout;

  constructor(
    private readonly place: RecordPlace,
    /** Proves that this process owns the record. */
    private readonly token: string,
    public memory: DriverMemory,
    /** The process whose record was taken over; null if there was none. */
    readonly deadDriver: number | null,
  ) {
    this.#heartbeat = setInterval(
      () => touch(place.path),
      HEARTBEAT_MS,
    ).unref();
  }

  /** Throws `driver_lost` if another driver has taken over meanwhile. */
  update(change: Partial<DriverMemory>): void {
    this.memory = { ...this.memory, ...change };
    this.#whileOwned((lock) =>
      writeRecord(lock, this.place, this.token, this.memory),
    );
  }

  /** What the next driver needs stays, unless the run is over. */
  release({ isOver }: { isOver: boolean }): void {
    clearInterval(this.#heartbeat);
    this.memory = { ...this.memory, client: null };
    this.#whileOwned((lock) => {
      if (isOver) removeIfThere(this.place.path);
      else writeRecord(lock, this.place, null, this.memory);
    });
  }

  #whileOwned(work: (lock: Lock) => void): void {
    withRecord(this.place, (lock, json) => {
      if (ownerIn(json)?.token !== this.token)
        throw driverLost(this.place.runId);
      work(lock);
    });
  }
}

/** A record that is gone or cannot be written is noticed by the next update. */
function touch(path: string): void {
  const now = new Date();
  unlessRefused(() => fse.utimesSync(path, now, now));
}

interface RecordPlace {
  root: string;
  runId: string;
  /** Relative to the project root. */
  folder: string;
  path: string;
}

function recordPlace(root: string, runId: string): RecordPlace {
  const path = join(root, driverFile(runId));
  return { root, runId, folder: logFolder(runId), path };
}

function withRecord<T>(
  { root, runId, folder }: RecordPlace,
  work: (lock: Lock, json: JsonObject | null) => T,
): T {
  return translateFsErrors(folder, () => {
    makeFolder(root, folder);
    return withLock(join(root, folder, '.lock'), LOCK_WAIT_MS, (lock) =>
      work(lock, readDriverFile(root, runId)),
    );
  });
}

/** `token` is null if nobody owns the record from now on. */
function writeRecord(
  lock: Lock,
  { root, runId, folder, path }: RecordPlace,
  token: string | null,
  memory: DriverMemory,
): void {
  const owner = token === null ? null : ownProcess(token);
  const json = JSON.stringify({ run: runId, owner, ...memory }, null, 2);
  replaceFile(lock, join(root, folder), path, `${json}\n`);
}

type Owner = RecordedProcess & { token: string; host: string };

function ownProcess(token: string): Owner {
  const { pid } = process;
  return { token, pid, start: startOf(pid), host: hostname() };
}

function ownerIn(json: JsonObject | null): Owner | null {
  const owner = json?.['owner'];
  if (!isObject(owner)) return null;
  const { token, pid, start, host } = owner;
  if (
    typeof token !== 'string' ||
    typeof pid !== 'number' ||
    typeof host !== 'string'
  )
    return null;
  return { token, pid, start: typeof start === 'string' ? start : null, host };
}

function isAtWork(owner: Owner, path: string): boolean {
  const isVisible =
    owner.host === hostname() &&
    namespaceOf(owner.start) === namespaceOf(startOf(process.pid));
  if (isVisible) return isSameRunningProcess(owner, 'holdfast');
  const { mtimeMs = 0 } = fse.statSync(path, { throwIfNoEntry: false }) ?? {};
  return Date.now() - mtimeMs < STALE_MS;
}

/**
 * Containers may share a host name and a folder, but not their process ids. The start of a process says which ids it
 * belongs to: `0f8fad5b-4026531836-8125` is the 8125th tick of a boot, in a namespace.
 */
function namespaceOf(start: string | null): string | undefined {
  return start?.replace(/-[^-]*$/, '');
}

function secondDriver(runId: string, owner: Owner): HoldfastError {
  const where = owner.host === hostname() ? '' : ` on ${asWord(owner.host)}`;
  return new HoldfastError(
    'second_driver',
    `${runId} is being driven already, by process ${owner.pid}${where}`,
    {
      hint: 'wait for it, or end it with Ctrl-C in its terminal; nothing was started',
    },
  );
}

function driverLost(runId: string): HoldfastError {
  return new HoldfastError(
    'driver_lost',
    `another process drives ${runId} now, because this one did not answer for a while`,
    { hint: '`holdfast status` shows where the run stands' },
  );
}
