import { mkdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { writeThenRename } from '../files/atomic-write.ts';
import {
  modifiedAt,
  readTextFile,
  namesIfReadable,
  unlessRefused,
} from '../files/read-file.ts';
import {
  sessionFile,
  sessionsFolder,
  wakeFolder,
} from '../files/environment.ts';
import { LIVE_FOR } from '../state/live-for.ts';
import { WakeMarks } from '../state/store/state-folder.ts';
import { sameJson } from '../text/json.ts';
import {
  clientFields,
  isClientGone,
  isSameProcess,
  type ClientProcess,
} from './client-process.ts';
import { parseSessionEntry, type SessionEntry } from './session-entry.ts';

/** bin/hook.sh adds an empty line at every event. */
const MAX_ENTRY_BYTES = 200_000;
const MAX_ENTRIES = 500;
/** What a writer that was killed has left. */
const TEMPORARY_FILE = /^\.tmp-\d+$/;
const KEPT_FOR_MS = 30 * 24 * 3_600_000;
/** The name of a wake mark: that of the session's file, then the event. */
const START_MARK = /^(.+)\.SessionStart$/;
/** How long after a `/clear` the session that follows it may begin. */
const FOLLOWS_WITHIN_MS = 60_000;
/** The file of a session may be a little older than the `/clear` that it records. */
const FILE_TIME_SLACK_MS = 5_000;

/** What is known of sessions outside any project. */
export class SessionRegistry {
  /** As they were when they were first asked for: a call takes milliseconds, and adds what it changes itself. */
  readonly #known = new Map<string, SessionEntry | null>();

  /** A folder that cannot be read or written costs only what would be known from it; `onProblem` is told. */
  constructor(
    readonly config: string,
    private readonly now: number,
    private readonly onProblem: (sentence: string) => void = () => undefined,
  ) {}

  entry(session: string): SessionEntry | null {
    const known = this.#known.get(session);
    if (known !== undefined) return known;
    const read = readEntry(sessionFile(this.config, session));
    const entry = read?.session === session ? read : null;
    this.#known.set(session, entry);
    return entry;
  }

  /** As it is now: other hooks and commands of the session may have added to it since it was first asked for. */
  freshEntry(session: string): SessionEntry | null {
    this.#known.delete(session);
    return this.entry(session);
  }

  /** The sessions that were seen within so many milliseconds of now. */
  entries(withinMs = Number.POSITIVE_INFINITY): SessionEntry[] {
    const folder = sessionsFolder(this.config);
    const entries: SessionEntry[] = [];
    for (const name of namesIfReadable(folder)) {
      if (!name.endsWith('.json')) continue;
      const path = join(folder, name);
      const age = Math.abs(this.now - (modifiedAt(path) ?? 0));
      if (age > withinMs) continue;
      const entry = readEntry(path);
      if (entry !== null) entries.push(entry);
    }
    return entries;
  }

  /** Adds to what is known of a session by now; `seenAt` is when it was last seen. */
  update(
    session: string,
    added: Partial<SessionEntry>,
    seenAt: number = this.now,
  ): void {
    const path = sessionFile(this.config, session);
    const folder = sessionsFolder(this.config);
    const temporary = join(folder, `.tmp-${process.pid}`);
    const entry = { ...this.freshEntry(session), ...added, session };
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeThenRename(temporary, path, JSON.stringify(entry), {
        isDurable: false,
        confirm: () => utimesSync(temporary, seenAt / 1_000, seenAt / 1_000),
      });
      this.#known.set(session, entry);
      this.#prune(folder);
    } catch (error) {
      // The session still finds its run from within the project.
      this.onProblem(`${path} was not written: ${String(error)}`);
    }
  }

  /** When a hook or command of the session was last called: bin/hook.sh changes the time of the file. */
  seenAt(session: string): number | null {
    return modifiedAt(sessionFile(this.config, session));
  }

  /** As bin/hook.sh does it, which not every client can run and no command does. */
  recordSeen(session: string | null): void {
    if (session === null) return;
    const seen = this.now / 1_000;
    unlessRefused(() =>
      utimesSync(sessionFile(this.config, session), seen, seen),
    );
  }

  /** Remembers where the session holds a run, so that it finds it from any other folder, and after a `/clear`. */
  recordProject(
    session: string,
    project: string,
    client: ClientProcess | null,
  ): void {
    const before = this.entry(session);
    const isClientNew = client !== null && before?.client === undefined;
    if (before?.project === project && !isClientNew) return;
    this.update(session, { project, ...(client && { client }) });
  }

  /** The session that follows a `/clear` is expected: its SessionStart has something to do, wherever it begins. */
  recordClear(
    session: string,
    project: string,
    client: ClientProcess | null,
  ): void {
    const cleared = { project, clearedAt: this.now, followedBy: undefined };
    this.update(session, { ...cleared, ...(client && { client }) });
    new WakeMarks(this.config).wake(session, ['SessionStart']);
  }

  /** The session has begun, or goes on, in this client process. Its project is where it holds a run, else where it was first seen. */
  recordStart(
    session: string,
    project: string,
    client: ClientProcess | null,
  ): void {
    const before = this.entry(session);
    const now = {
      project: before?.project ?? project,
      startedAt: before?.startedAt ?? this.now,
      client: client ?? before?.client,
      endedAt: undefined,
    };
    if (!sameJson({ ...before, ...now }, before)) this.update(session, now);
  }

  recordEnd(session: string): void {
    if (this.entry(session) !== null)
      this.update(session, { endedAt: this.now });
  }

  /** Whether another session that may still be there was seen in the project after this time. */
  isOtherSeenSince(
    time: number,
    caller: { session: string; project: string; client: ClientProcess | null },
  ): boolean {
    const mayBeThere = ({ client }: SessionEntry): boolean =>
      client === undefined ||
      !isClientGone(clientFields(client), { ...caller, isSameSession: false });
    return this.entries(LIVE_FOR).some((entry) => {
      if (entry.session === caller.session) return false;
      if (entry.project !== caller.project || !isOpen(entry)) return false;
      const isSeenSince = (this.seenAt(entry.session) ?? 0) > time;
      return isSeenSince && mayBeThere(entry);
    });
  }

  /**
   * The session that was cleared just before this one began in the same client process. Where the client tells no
   * process, it is the only one that was cleared in this project within the last minute. A `/clear` whose SessionEnd
   * never came ended the session that was last seen in the process. A session of which only a compaction was told, and not
   * its start (`isCleared` is false), follows only one whose `/clear` was recorded in the same process within that minute:
   * its project, and who was seen last, prove nothing then.
   */
  formerOf(
    session: string,
    projects: readonly (string | null)[],
    client: ClientProcess | null,
    isCleared = true,
  ): string | null {
    const within = FOLLOWS_WITHIN_MS + FILE_TIME_SLACK_MS;
    const entries = this.entries(isCleared ? LIVE_FOR : within);
    const follower = entries.find(({ followedBy }) => followedBy === session);
    if (follower !== undefined) return follower.session;

    // Those of this client process, and those of which nobody can say because one of the two starts cannot be read.
    const same: SessionEntry[] = [];
    const unknown: SessionEntry[] = [];
    for (const entry of entries) {
      if (entry.session === session || entry.followedBy !== undefined) continue;
      const isSame = isSameProcess(entry.client ?? null, client);
      if (isSame === true) same.push(entry);
      if (isSame === null) unknown.push(entry);
    }

    const clearedHere = this.#justCleared(same)[0];
    if (clearedHere !== undefined) return clearedHere.session;

    // An equal process id whose start cannot be read counts within the minute; without ids only the project is left.
    const possible = this.#justCleared(unknown);
    const samePid = possible.find(
      (entry) => client !== null && entry.client?.pid === client.pid,
    );
    if (samePid !== undefined) return samePid.session;
    if (!isCleared) return null;

    const [only, ...more] = possible.filter(({ project }) =>
      projects.includes(project ?? null),
    );
    if (only !== undefined && more.length === 0) return only.session;
    return this.lastOpen(same);
  }

  /** Those that `/clear` ended within the last minute, the latest first. */
  #justCleared(entries: readonly SessionEntry[]): SessionEntry[] {
    return entries
      .filter(({ clearedAt = -Infinity }) => {
        const age = Math.abs(this.now - clearedAt);
        return age <= FOLLOWS_WITHIN_MS;
      })
      .toSorted((a, b) => (b.clearedAt ?? 0) - (a.clearedAt ?? 0));
  }

  /** The client process in which the session goes on; null if it has ended, or if no client told its process. */
  clientOf(session: string): ClientProcess | null {
    const entry = this.entry(session);
    return entry !== null && isOpen(entry) ? (entry.client ?? null) : null;
  }

  /** Of these, the session that was seen last and has not ended. */
  lastOpen(entries: readonly SessionEntry[]): string | null {
    const seenAt = ({ session }: SessionEntry): number =>
      this.seenAt(session) ?? 0;
    const open = entries.filter(isOpen);
    const [last] = open.toSorted((a, b) => seenAt(b) - seenAt(a));
    return last?.session ?? null;
  }

  recordFollower(former: string, session: string): void {
    if (this.entry(former)?.followedBy === session) return;
    // That another session begins is no sign of life of this one.
    const seenAt = this.seenAt(former) ?? undefined;
    this.update(former, { followedBy: session }, seenAt);
    new WakeMarks(this.config).remove(former, ['SessionStart']);
    // So that a `/clear` of this session is recorded in its turn.
    if (this.entry(session) === null) this.update(session, {});
  }

  /** Removes the marks of sessions that nobody followed. */
  forgetOldClears(): void {
    for (const name of namesIfReadable(wakeFolder(this.config))) {
      const [, file] = START_MARK.exec(name) ?? [];
      if (file === undefined) continue;
      const path = join(sessionsFolder(this.config), `${file}.json`);
      const entry = readEntry(path);
      const isOld = (entry?.clearedAt ?? 0) < this.now - FOLLOWS_WITHIN_MS;
      if (!isOld) continue;
      const session = entry?.session ?? file;
      new WakeMarks(this.config).remove(session, ['SessionStart']);
    }
  }

  /** A conversation from before a `/clear` that is opened again stands for itself, not for its successor. */
  recordReturn(session: string): void {
    if (this.entry(session)?.followedBy !== undefined)
      this.update(session, {
        followedBy: undefined,
        clearedAt: undefined,
        endedAt: undefined,
      });
  }

  /** Removes entries that nobody needs, and what killed writers left. */
  #prune(folder: string): void {
    const names = namesIfReadable(folder);
    if (names.length <= MAX_ENTRIES) return;
    for (const name of names) {
      const path = join(folder, name);
      const isOld = (modifiedAt(path) ?? 0) < this.now - KEPT_FOR_MS;
      // The folder may be a link to one of the user's own, so nothing else is removed.
      if (isOld && isRegistryFile(name, path)) rmSync(path, { force: true });
    }
  }
}

function isRegistryFile(name: string, path: string): boolean {
  if (TEMPORARY_FILE.test(name)) return true;
  return name.endsWith('.json') && readEntry(path) !== null;
}

function readEntry(path: string): SessionEntry | null {
  const file = readTextFile(path, MAX_ENTRY_BYTES);
  return file.kind === 'text' ? parseSessionEntry(file.text) : null;
}

function isOpen({ endedAt, clearedAt, followedBy }: SessionEntry): boolean {
  return (endedAt ?? clearedAt ?? followedBy) === undefined;
}

/** The module that was loaded last, or the plan that was accepted last, by a session of this project. */
export function lastIn<K extends 'module' | 'plan'>(
  registry: SessionRegistry,
  key: K,
  project: string,
): NonNullable<SessionEntry[K]> | undefined {
  let last: NonNullable<SessionEntry[K]> | undefined;
  for (const entry of registry.entries()) {
    const found = entry[key];
    if (found === undefined || found.project !== project) continue;
    if (last === undefined || found.at > last.at) last = found;
  }
  return last;
}
