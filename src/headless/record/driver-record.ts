import { utimesSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { replaceFile } from '../../io/atomic-write.ts';
import { translateFsErrors } from '../../io/fs-errors.ts';
import { withLock } from '../../io/lock.ts';
import { removeIfThere } from '../../io/remove.ts';
import { readDriverFile } from '../../operations/driver-record.ts';
import { clientProcess } from '../../sessions/client-process.ts';
import { driverFile, logFolder } from '../../state/paths.ts';
import { makeFolder } from '../../state/store/state-folder.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { memoryIn, type DriverMemory } from './driver-memory.ts';
import { isSameRunningProcess } from './running-process.ts';

/** A driver that cannot be asked whether it lives, because it is on another machine, counts as dead after this. */
const STALE_MS = 120_000;
const HEARTBEAT_MS = 20_000;
const LOCK_WAIT_MS = 10_000;

/** The record of a run's driver: at most one process owns it. */
export class DriverRecord {
  #memory: DriverMemory;
  readonly #heartbeat: NodeJS.Timeout;

  private constructor(
    private readonly root: string,
    readonly runId: string,
    private readonly token: string,
    memory: DriverMemory,
    /** The process whose record was taken over; null if there was none. */
    readonly formerPid: number | null,
  ) {
    this.#memory = memory;
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS);
    this.#heartbeat.unref();
  }

  /** Throws `second_driver` if another process drives the run. */
  static acquire(root: string, runId: string): DriverRecord {
    const folder = logFolder(runId);
    return translateFsErrors(folder, () => {
      makeFolder(root, folder);
      return withLock(join(root, folder, '.lock'), LOCK_WAIT_MS, (lock) => {
        const known = readDriverFile(root, runId);
        const owner = ownerOf(known);
        if (owner !== null && isRunning(owner, join(root, driverFile(runId)))) {
          const host = owner.host === hostname() ? null : owner.host;
          throw new HoldfastError({ code: 'second_driver', run: runId, pid: owner.pid, host });
        }
        const token = lock.token;
        const memory = memoryIn(known);
        write(lock, root, runId, token, memory);
        return new DriverRecord(root, runId, token, memory, owner?.pid ?? null);
      });
    });
  }

  get memory(): DriverMemory {
    return this.#memory;
  }

  /** Throws `driver_lost` if another driver has taken over meanwhile. */
  update(change: Partial<DriverMemory>): void {
    const { root, runId, token } = this;
    this.#memory = { ...this.#memory, ...change };
    this.#locked((lock) => write(lock, root, runId, token, this.#memory));
  }

  /** What the next driver needs stays, unless the run is over. */
  release({ isOver }: { isOver: boolean }): void {
    clearInterval(this.#heartbeat);
    const { root, runId } = this;
    this.#locked((lock) => {
      if (isOver) removeIfThere(join(root, driverFile(runId)));
      else write(lock, root, runId, null, { ...this.#memory, client: null });
    });
  }

  #locked(work: (lock: Parameters<typeof write>[0]) => void): void {
    const { root, runId, token } = this;
    const folder = logFolder(runId);
    translateFsErrors(folder, () => {
      withLock(join(root, folder, '.lock'), LOCK_WAIT_MS, (lock) => {
        const owner = ownerOf(readDriverFile(root, runId));
        if (owner?.token !== token) throw new HoldfastError({ code: 'driver_lost', run: runId });
        work(lock);
      });
    });
  }

  #beat(): void {
    try {
      const now = new Date();
      utimesSync(join(this.root, driverFile(this.runId)), now, now);
    } catch {
      // The record is gone or cannot be written: the next update says so.
    }
  }
}

interface Owner {
  token: string;
  pid: number;
  start: string | null;
  host: string;
}

function write(
  lock: Parameters<typeof replaceFile>[0],
  root: string,
  runId: string,
  token: string | null,
  memory: DriverMemory,
): void {
  const own = clientProcess(String(process.pid));
  const owner =
    token === null
      ? null
      : { token, pid: process.pid, start: own?.start ?? null, host: hostname() };
  const content = { run: runId, owner, ...memory };
  replaceFile(
    lock,
    join(root, logFolder(runId)),
    join(root, driverFile(runId)),
    `${JSON.stringify(content, null, 2)}\n`,
  );
}

function isRunning(owner: Owner, file: string): boolean {
  if (isOnThisMachine(owner)) return isSameRunningProcess(owner, 'holdfast');
  const { mtimeMs = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return Date.now() - mtimeMs < STALE_MS;
}

/** Containers may share a host name and a folder, but not their process ids: the start names their namespace. */
function isOnThisMachine({ host, start }: Owner): boolean {
  if (host !== hostname()) return false;
  const own = clientProcess(String(process.pid))?.start ?? null;
  if (start === null || own === null) return start === own;
  return spaceOf(start) === spaceOf(own);
}

function spaceOf(start: string): string {
  return start.slice(0, start.lastIndexOf('-'));
}

function ownerOf(json: JsonObject | null): Owner | null {
  const owner = json?.['owner'];
  if (!isObject(owner)) return null;
  const { token, pid, start, host } = owner;
  if (typeof token !== 'string' || typeof pid !== 'number' || typeof host !== 'string') return null;
  return { token, pid, start: typeof start === 'string' ? start : null, host };
}
