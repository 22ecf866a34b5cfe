import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UnwrittenFile } from '../errors/files.ts';
import { renameWithRetry } from '../io/atomic-write.ts';
import { isRunning } from '../io/is-running.ts';
import { namesIfReadable } from '../io/list-folder.ts';
import { errorCode, modifiedAt, readTextFile } from '../io/read-file.ts';
import { isObject, parseJsonObject } from '../util/json.ts';
import type { ClientProcess } from './client-process.ts';
import { clearedFile, sessionFile, sessionsFolder } from './session-file.ts';

const TEMPORARY = '.tmp-';
const MAX_ENTRY_BYTES = 20_000;
const MAX_ENTRIES = 500;
const KEPT_FOR = 30 * 24 * 3_600_000;

/** The files of the registry, one for each session. */
export class SessionEntries {
  readonly #folder: string;

  /** A folder that cannot be read or written costs only what would be known from it; `onProblem` is told. */
  constructor(
    private readonly config: string,
    private readonly now: number,
    private readonly onProblem: (problem: UnwrittenFile) => void = () => undefined,
  ) {
    this.#folder = sessionsFolder(config);
  }

  read(session: string): SessionEntry | null {
    const file = readTextFile(sessionFile(this.config, session), MAX_ENTRY_BYTES);
    return file.kind === 'text' ? parseEntry(file.text, session) : null;
  }

  /** Without a limit, all of them; with one, those that were written within so many milliseconds of now. */
  all(within = Number.POSITIVE_INFINITY): SessionEntry[] {
    return this.#names(/\.json$/).flatMap((name) => {
      const path = join(this.#folder, name);
      if (Math.abs(this.now - (modifiedAt(path) ?? 0)) > within) return [];
      const file = readTextFile(path, MAX_ENTRY_BYTES);
      return file.kind === 'text' ? (parseEntry(file.text) ?? []) : [];
    });
  }

  write(entry: SessionEntry): void {
    const path = sessionFile(this.config, entry.session);
    const temporary = join(this.#folder, `${TEMPORARY}${process.pid}`);
    try {
      mkdirSync(this.#folder, { recursive: true });
      writeFileSync(temporary, JSON.stringify(entry));
      utimesSync(temporary, this.now / 1_000, this.now / 1_000);
      renameWithRetry(temporary, path);
      this.#prune();
    } catch (error) {
      removeIfPossible(temporary);
      // The session still finds its run from within the project.
      this.onProblem({ path, reason: String(error) });
    }
  }

  markCleared(session: string): void {
    const path = clearedFile(this.config, session);
    try {
      writeFileSync(path, '');
      utimesSync(path, this.now / 1_000, this.now / 1_000);
    } catch (error) {
      this.onProblem({ path, reason: String(error) });
    }
  }

  unmarkCleared(session: string): void {
    removeIfPossible(clearedFile(this.config, session));
  }

  /** Removes the marks of sessions that were cleared more than so many milliseconds ago. */
  removeMarks(olderThan: number): void {
    for (const name of this.#names(/\.cleared$/)) {
      const path = join(this.#folder, name);
      if (Math.abs(this.now - (modifiedAt(path) ?? 0)) > olderThan) removeIfPossible(path);
    }
  }

  #prune(): void {
    this.#removeLeftovers();
    const names = this.#names(/\.(?:json|seen)$/);
    if (names.length <= MAX_ENTRIES) return;
    for (const name of names) {
      const path = join(this.#folder, name);
      if ((modifiedAt(path) ?? 0) < this.now - KEPT_FOR) rmSync(path, { force: true });
    }
  }

  /** Of writers that were killed. */
  #removeLeftovers(): void {
    for (const name of this.#names(/^\.tmp-/)) {
      if (!isRunning(Number(name.slice(TEMPORARY.length))))
        rmSync(join(this.#folder, name), { force: true });
    }
  }

  #names(pattern: RegExp): string[] {
    return namesIfReadable(this.#folder).filter((name) => pattern.test(name));
  }
}

function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    // Where no file can be written, there may be no folder either: nothing was left behind. A mark that stays only
    // costs a start of Node.
  }
}

/**
 * What is known of a session outside any project, one small file each: an idle project is never written to, yet the
 * session that follows a `/clear` there must be recognised by hooks, commands and the MCP server alike.
 */
export interface SessionEntry {
  session: string;
  /** The project root in which the session holds a run, or was cleared. */
  project?: string;
  client?: ClientProcess;
  clearedAt?: number;
  /** The session that `/clear` began in the same client process. */
  followedBy?: string;
  /** How full the context was when it last passed a threshold, until the session has been told. */
  fill?: Fill;
  /** The module that the client has loaded for the session. */
  module?: LoadedModule;
}

export interface LoadedModule {
  version: string;
  project: string;
  /** When it last asked, at most an hour before its last question. */
  at: number;
}

export interface Fill {
  /** Of the automatic-compaction threshold. */
  percent: number;
  /** The thresholds that were passed since the last compaction. */
  passed: number[];
  isTold: boolean;
}

/** Null if the text is not an entry, or is that of another session than the expected one. */
function parseEntry(text: string, expected?: string): SessionEntry | null {
  const { session, project, client, clearedAt, followedBy, fill, module } = parseJsonObject(text);
  if (typeof session !== 'string') return null;
  if (expected !== undefined && session !== expected) return null;
  return {
    session,
    ...(typeof project === 'string' ? { project } : {}),
    ...(isClient(client) ? { client } : {}),
    ...(typeof clearedAt === 'number' ? { clearedAt } : {}),
    ...(typeof followedBy === 'string' && followedBy !== '' ? { followedBy } : {}),
    ...(isFill(fill) ? { fill } : {}),
    ...(isLoadedModule(module) ? { module } : {}),
  };
}

function isLoadedModule(value: unknown): value is LoadedModule {
  return (
    isObject(value) &&
    typeof value['version'] === 'string' &&
    typeof value['project'] === 'string' &&
    typeof value['at'] === 'number'
  );
}

function isFill(value: unknown): value is Fill {
  return (
    isObject(value) &&
    typeof value['percent'] === 'number' &&
    typeof value['isTold'] === 'boolean' &&
    Array.isArray(value['passed']) &&
    value['passed'].every((threshold) => typeof threshold === 'number')
  );
}

function isClient(value: unknown): value is ClientProcess {
  return (
    isObject(value) &&
    typeof value['pid'] === 'string' &&
    (value['start'] === null || typeof value['start'] === 'string')
  );
}
