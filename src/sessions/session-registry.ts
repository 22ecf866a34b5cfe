import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renameWithRetry } from '../io/atomic-write.ts';
import { errorCode, readTextFile } from '../io/read-file.ts';
import { isObject } from '../util/json.ts';
import { isSameProcess, type ClientProcess } from './client-process.ts';
import { heartbeatFile, sessionFile, sessionsFolder } from './session-file.ts';

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

const TEMPORARY = '.tmp-';
const FOLLOWS_WITHIN = 60_000;
const MODULE_NOTED_FOR = 3_600_000;
const MAX_ENTRY_BYTES = 20_000;
const MAX_ENTRIES = 500;
const KEPT_FOR = 30 * 24 * 3_600_000;
const MAX_CHAIN = 100;

export class SessionRegistry {
  readonly #folder: string;

  /** A folder that cannot be read or written costs only what would be known from it; `onProblem` is told. */
  constructor(
    private readonly config: string,
    private readonly now: number,
    private readonly onProblem: (problem: string) => void = () => undefined,
  ) {
    this.#folder = sessionsFolder(config);
  }

  entry(session: string): SessionEntry | null {
    const file = readTextFile(sessionFile(this.config, session), MAX_ENTRY_BYTES);
    return file.kind === 'text' ? parseEntry(file.text, session) : null;
  }

  /** When something was last recorded about the session. */
  changedAt(session: string): number | null {
    const at = modifiedAt(sessionFile(this.config, session));
    return at === 0 ? null : at;
  }

  /** When bin/hook.sh last saw the session; null if it has not. */
  seenAt(session: string): number | null {
    const at = modifiedAt(heartbeatFile(this.config, session));
    return at === 0 ? null : at;
  }

  /** The session itself, or the one that followed it by `/clear`, over any number of clears. */
  current(session: string): string {
    const visited = new Set<string>();
    let id = session;
    while (!visited.has(id) && visited.size < MAX_CHAIN) {
      visited.add(id);
      id = this.entry(id)?.followedBy ?? id;
    }
    return id;
  }

  /** The project in which the session holds a run, or was cleared. */
  projectOf(session: string): string | null {
    return this.entry(session)?.project ?? null;
  }

  /** Remembers where the session holds a run, so that it finds it from any other folder. */
  recordProject(session: string, project: string): void {
    const before = this.entry(session);
    if (before?.project !== project) this.#write({ session, ...before, project });
  }

  recordClear(session: string, project: string, client: ClientProcess | null): void {
    const { followedBy: _followedBy, ...before } = this.entry(session) ?? { session };
    this.#write({
      ...before,
      project,
      ...(client === null ? {} : { client }),
      clearedAt: this.now,
    });
  }

  /** The session that was cleared just before this one began in the same client process. */
  formerOf(arriving: Omit<ArrivingSession, 'now'>): string | null {
    const entries = this.#recentlyCleared();
    return formerSession(entries, { ...arriving, now: this.now })?.session ?? null;
  }

  recordFollower(former: string, session: string): void {
    const before = this.entry(former);
    if (before?.followedBy !== session)
      this.#write({ session: former, ...before, followedBy: session });
  }

  /** A conversation from before a `/clear` that is opened again stands for itself, not for its successor. */
  recordReturn(session: string): void {
    const before = this.entry(session);
    if (before?.followedBy === undefined) return;
    const { followedBy: _followedBy, clearedAt: _clearedAt, ...rest } = before;
    this.#write(rest);
  }

  /** Remembers that the context has passed a threshold that the session was not told about yet. */
  recordFill(session: string, percent: number, thresholds: readonly number[]): void {
    const before = this.entry(session) ?? { session };
    const passed = thresholds.filter((threshold) => percent >= threshold);
    const isNew = passed.some((threshold) => before.fill?.passed.includes(threshold) !== true);
    if (isNew) this.#write({ ...before, fill: { percent, passed, isTold: false } });
  }

  /** The fill to tell the session about, once. */
  takeFill(session: string): number | null {
    const before = this.entry(session);
    if (before?.fill === undefined || before.fill.isTold) return null;
    this.#write({ ...before, fill: { ...before.fill, isTold: true } });
    return before.fill.percent;
  }

  /** After a compaction or a clear every threshold counts again. */
  forgetFill(session: string): void {
    const { fill, ...rest } = this.entry(session) ?? { session };
    if (fill !== undefined) this.#write(rest);
  }

  /** Evidence that the client has loaded the module, which asks at the end of every turn. */
  recordModule(session: string, version: string, project: string): void {
    const before = this.entry(session) ?? { session };
    const { module } = before;
    const isKnown = module?.version === version && module.project === project;
    if (isKnown && Math.abs(this.now - module.at) < MODULE_NOTED_FOR) return;
    this.#write({ ...before, module: { version: version.slice(0, 40), project, at: this.now } });
  }

  /** The modules that sessions of this project have loaded, the latest first. */
  modulesSeen(project: string): LoadedModule[] {
    return this.#names()
      .flatMap((name) => {
        const file = readTextFile(join(this.#folder, name), MAX_ENTRY_BYTES);
        return file.kind === 'text' ? (parseEntry(file.text)?.module ?? []) : [];
      })
      .filter((module) => module.project === project)
      .toSorted((a, b) => b.at - a.at);
  }

  #recentlyCleared(): SessionEntry[] {
    return this.#names().flatMap((name) => {
      const path = join(this.#folder, name);
      if (Math.abs(this.now - modifiedAt(path)) > FOLLOWS_WITHIN + 5_000) return [];
      const file = readTextFile(path, MAX_ENTRY_BYTES);
      return file.kind === 'text' ? (parseEntry(file.text) ?? []) : [];
    });
  }

  /** Of writers that were killed. */
  #removeLeftovers(): void {
    for (const name of this.#allNames()) {
      const path = join(this.#folder, name);
      if (name.startsWith(TEMPORARY) && !isRunning(Number(name.slice(TEMPORARY.length))))
        rmSync(path, { force: true });
    }
  }

  #names(): string[] {
    return this.#allNames().filter((name) => name.endsWith('.json'));
  }

  #allNames(): string[] {
    try {
      return readdirSync(this.#folder);
    } catch {
      // Not there yet, or not to be read: nothing is known of any session.
      return [];
    }
  }

  #write(entry: SessionEntry): void {
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
      this.onProblem(`${path} was not written: ${String(error)}`);
    }
  }

  #prune(): void {
    this.#removeLeftovers();
    const names = this.#allNames().filter((name) => /\.(?:json|seen)$/.test(name));
    if (names.length <= MAX_ENTRIES) return;
    for (const name of names) {
      const path = join(this.#folder, name);
      if (modifiedAt(path) < this.now - KEPT_FOR) rmSync(path, { force: true });
    }
  }
}

function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Where no file can be written, there may be no folder either: nothing was left behind.
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Not permitted means that it is there.
    return errorCode(error) === 'EPERM';
  }
}

function modifiedAt(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch {
    // Removed meanwhile, or a link to nowhere.
    return 0;
  }
}

/** A session that begins with `/clear`. */
export interface ArrivingSession {
  session: string;
  /** The projects that it may belong to. */
  projects: readonly (string | null)[];
  client: ClientProcess | null;
  now: number;
}

/**
 * The session that was cleared just before this one began in the same client process. Where the client tells no
 * process, it is the only one that was cleared in this project within the last minute.
 */
function formerSession(
  entries: readonly SessionEntry[],
  { session, projects, client, now }: ArrivingSession,
): SessionEntry | null {
  const recent = entries.filter(
    (entry) =>
      entry.session !== session &&
      entry.followedBy === undefined &&
      entry.clearedAt !== undefined &&
      Math.abs(now - entry.clearedAt) <= FOLLOWS_WITHIN,
  );
  const latest = (found: readonly SessionEntry[]): SessionEntry | null =>
    found.toSorted((a, b) => (b.clearedAt ?? 0) - (a.clearedAt ?? 0))[0] ?? null;
  const same = recent.filter((entry) => isSameProcess(entry.client ?? null, client) === true);
  if (same.length > 0) return latest(same);
  const possible = recent.filter((entry) => isSameProcess(entry.client ?? null, client) === null);
  // An equal process id whose start cannot be read counts within the minute; without ids only the project is left.
  const samePid = possible.filter((entry) => client !== null && entry.client?.pid === client.pid);
  if (samePid.length > 0) return latest(samePid);
  const here = possible.filter(
    (entry) =>
      projects.includes(entry.project ?? null) && (client === null || entry.client === undefined),
  );
  return here.length === 1 ? (here[0] ?? null) : null;
}

function parseEntry(text: string, expected?: string): SessionEntry | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  if (!isObject(json) || typeof json['session'] !== 'string') return null;
  if (expected !== undefined && json['session'] !== expected) return null;
  const { session, project, client, clearedAt, followedBy, fill, module } = json;
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
