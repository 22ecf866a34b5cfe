import { hostname } from 'node:os';
import { join } from 'node:path';
import fse from 'fs-extra';
import { HoldfastError } from '../text/holdfast-error.ts';
import { replaceFile, appendLine } from '../files/atomic-write.ts';
import { translateFsErrors } from '../files/fs-errors.ts';
import { isRunning, withLock, type Lock } from '../files/lock.ts';
import { errorCode, unlessRefused, removeIfThere } from '../files/read-file.ts';
import { runCommand } from '../files/run-command.ts';
import {
  readDriverFile,
  clientFrom,
  clientProcess,
  processStart,
} from '../sessions/client-process.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import { lastSeen, liveHolder, sessionRecord } from '../sessions/holder.ts';
import { driverFile, logFolder } from '../state/paths.ts';
import { makeFolder } from '../state/store/state-folder.ts';
import type { StoredRun } from '../state/types.ts';
import { isObject, type JsonObject } from '../text/json.ts';
import { timeAgo } from '../text/relative-time.ts';
import { slugOf } from '../text/slug.ts';
import { asWord } from '../text/sanitize.ts';

/** A process as it is recorded. `start` is null where that cannot be read. */
type RecordedProcess = { pid: number; start: string | null };

/** What outlives a driver. */
export type DriverMemory = ReturnType<typeof memoryIn>;

/** A driver that cannot be asked whether it lives, as it is on another machine or before a restart, is dead after this. */
const STALE_MS = 120_000;
const HEARTBEAT_MS = 20_000;

export type DriverRecord = ReturnType<typeof acquireRecord>;

/** The record of a run's driver: at most one process owns it. Throws `second_driver` if another one drives the run. */
export function acquireRecord(root: string, runId: string) {
  const path = join(root, driverFile(runId));
  const write = (
    lock: Lock,
    token: string | null,
    memory: DriverMemory,
  ): void => {
    const { pid } = process;
    const owner =
      token === null
        ? null
        : { token, pid, start: startOf(pid), host: hostname() };
    const content = `${JSON.stringify({ run: runId, owner, ...memory }, null, 2)}\n`;
    replaceFile(lock, join(root, logFolder(runId)), path, content);
  };
  const { token, ...taken } = locked(root, runId, (lock, json) => {
    const owner = ownerIn(json);
    if (owner !== null && isAtWork(owner, path)) {
      const where =
        owner.host === hostname() ? '' : ` on ${asWord(owner.host)}`;
      throw new HoldfastError(
        'second_driver',
        `${runId} is being driven already, by process ${owner.pid}${where}`,
        {
          hint: 'wait for it, or end it with Ctrl-C in its terminal; nothing was started',
        },
      );
    }
    const memory = memoryIn(json);
    write(lock, lock.token, memory);
    // The process whose record was taken over; null if there was none.
    return { token: lock.token, memory, deadDriver: owner?.pid ?? null };
  });
  // A record that is gone or cannot be written is noticed by the next update.
  const beat = (): unknown =>
    unlessRefused(() => fse.utimesSync(path, new Date(), new Date()));
  const heartbeat = setInterval(beat, HEARTBEAT_MS).unref();
  const whileOwned = (work: (lock: Lock) => void): void =>
    locked(root, runId, (lock, json) => {
      if (ownerIn(json)?.token === token) return work(lock);
      throw new HoldfastError(
        'driver_lost',
        `another process drives ${runId} now, because this one did not answer for a while`,
        { hint: '`holdfast status` shows where the run stands' },
      );
    });
  return {
    ...taken,
    /** Throws `driver_lost` if another driver has taken over meanwhile. */
    update(change: Partial<DriverMemory>): void {
      this.memory = { ...this.memory, ...change };
      whileOwned((lock) => write(lock, token, this.memory));
    },
    /** What the next driver needs stays, unless the run is over. */
    release({ isOver }: { isOver: boolean }): void {
      clearInterval(heartbeat);
      this.memory = { ...this.memory, client: null };
      whileOwned((lock) =>
        isOver ? removeIfThere(path) : write(lock, null, this.memory),
      );
    },
  };
}

/** What cannot be read counts as unknown: the run then starts a new conversation. */
export function memoryIn(json: JsonObject | null) {
  const { client, sessions, gateFailures } = json ?? {};
  const { pid, start, token, session } = isObject(client) ? client : {};
  const { main, own } = isObject(sessions) ? sessions : {};
  const { entry, agent, session: ownSession } = isObject(own) ? own : {};
  const { entry: failed, count } = isObject(gateFailures) ? gateFailures : {};
  return {
    /** The one that was started for the run; its token is in the environment of everything that it starts. */
    client:
      typeof pid === 'number' && isText(token) && isSession(session)
        ? { pid, start: isText(start) ? start : null, token, session }
        : null,
    sessions: {
      /** The one that steps without an agent of their own share, until a clear. */
      main: isSession(main) ? main : null,
      /** That of the step which is under way, if its agent has one of its own. */
      own:
        isText(entry) && isText(agent) && isSession(ownSession)
          ? { entry, agent, session: ownSession }
          : null,
    },
    /** How often the gate of the current entry has failed. */
    gateFailures:
      isText(failed) && typeof count === 'number'
        ? { entry: failed, count }
        : null,
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';

/**
 * As a driver makes them. The record may have come with the project: the client would take a session that begins with `-`
 * for an option, and any word could be in the command of a process, which would then be stopped.
 */
const isSession = (value: unknown): value is string =>
  isText(value) && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);

/** The live session that holds the run; null for one that a driver has started and that nobody has opened since. */
export function sessionAtWork(
  context: OperationContext,
  { runId, state }: StoredRun,
) {
  const session = liveHolder(state, context);
  if (session === null) return null;
  const record = sessionRecord(state, session);
  const { client, sessions } = memoryIn(readDriverFile(context.root, runId));
  const isOfDriver = [
    sessions.main,
    sessions.own?.session,
    client?.session,
  ].includes(session);
  const opened =
    record?.ended_at === undefined ? clientFrom(record?.environment) : null;
  const isOpenElsewhere =
    opened !== null &&
    Number(opened.pid) !== client?.pid &&
    isSameRunningProcess(
      { pid: Number(opened.pid), start: opened.start },
      'claude',
    );
  if (isOfDriver && !isOpenElsewhere) return null;
  return { session, seen: timeAgo(lastSeen(record, context), context.now) };
}

/**
 * Whether the process that is recorded still runs. Process ids are given again, and a record can come with a project, so
 * the id alone proves nothing: its start has to be the same, or, where that cannot be read, its command has to contain
 * `word`.
 */
export function isSameRunningProcess(
  { pid, start }: RecordedProcess,
  word: string,
): boolean {
  if (!Number.isSafeInteger(pid) || pid < 2 || !isRunning(pid)) return false;
  const now = processStart(String(pid));
  if (now !== null) return now === start;
  const command = runCommand(
    'ps',
    ['-ww', '-o', 'command=', '-p', String(pid)],
    process.env,
  );
  return command.kind === 'ended' && command.stdout.includes(word);
}

function ownerIn(json: JsonObject | null) {
  const { token, pid, start, host } = isObject(json?.['owner'])
    ? json['owner']
    : {};
  if (!isText(token) || typeof pid !== 'number' || !isText(host)) return null;
  return { token, pid, start: isText(start) ? start : null, host };
}

function isAtWork(
  owner: RecordedProcess & { host: string },
  file: string,
): boolean {
  // Containers may share a host name and a folder, but not their process ids: the start names their namespace.
  const spaceOf = (start: string | null): string | undefined =>
    start?.replace(/-[^-]*$/, '');
  if (
    owner.host === hostname() &&
    spaceOf(owner.start) === spaceOf(startOf(process.pid))
  )
    return isSameRunningProcess(owner, 'holdfast');
  const { mtimeMs = 0 } = fse.statSync(file, { throwIfNoEntry: false }) ?? {};
  return Date.now() - mtimeMs < STALE_MS;
}

function locked<T>(
  root: string,
  runId: string,
  work: (lock: Lock, json: JsonObject | null) => T,
) {
  const folder = logFolder(runId);
  return translateFsErrors(folder, () => {
    makeFolder(root, folder);
    return withLock(join(root, folder, '.lock'), 10_000, (lock) =>
      work(lock, readDriverFile(root, runId)),
    );
  });
}

/** When a process began; null where that cannot be read. */
export const startOf = (pid: number): string | null =>
  clientProcess(String(pid))?.start ?? null;

export type RunLog = ReturnType<typeof openLog>;
export type ClientLog = ReturnType<RunLog['nextClient']>;

/** The folder with the raw streams of the clients of a run, and the events of its drivers. */
export function openLog(root: string, runId: string) {
  const folder = logFolder(runId);
  // Files of earlier drivers are kept, so the numbers go on.
  const names = fse.readdirSync(join(root, folder));
  let number = Math.max(
    0,
    ...names.map((name) => Number(/^(\d{4,})-/.exec(name)?.[1] ?? 0)),
  );
  let refused: string | null = null;
  /** A refusal is remembered, because a run must not fail in the middle of a turn. */
  const keep = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      const code = errorCode(error);
      if (code === undefined) throw error;
      refused ??= code;
    }
  };
  return {
    /** Relative to the project root, as is the path of a raw stream. */
    folder,
    /** Why the log is incomplete, or soon would be because the disk is full; null if all is well. */
    get problem(): string | null {
      const isFull = fse.statfsSync(join(root, folder)).bavail === 0;
      return (refused ??= isFull ? 'ENOSPC' : null);
    },
    append: (event: object): void =>
      keep(
        () =>
          void appendLine(
            join(root, folder, 'events.jsonl'),
            JSON.stringify(event),
          ),
      ),
    nextClient: (step: string) => {
      number += 1;
      const name = `${folder}/${String(number).padStart(4, '0')}-${slugOf(step)}`;
      const keepIn = (path: string) => (piece: string) =>
        keep(() =>
          fse.appendFileSync(join(root, path), piece, { mode: 0o600 }),
        );
      const stream = `${name}.jsonl`;
      return {
        stream,
        keepStream: keepIn(stream),
        keepErrors: keepIn(`${name}.err.txt`),
      };
    },
  };
}
