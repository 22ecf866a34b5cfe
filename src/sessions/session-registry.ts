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
const KEPT_FOR = 30 * 24 * 3_600_000;
/** How long after a `/clear` the session that follows it may begin. */
const FOLLOWS_WITHIN = 60_000;

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

  entries(within = Number.POSITIVE_INFINITY): SessionEntry[] {
    const folder = sessionsFolder(this.config);
    return namesIfReadable(folder).flatMap((name) => {
      const path = join(folder, name);
      const isMeant =
        name.endsWith('.json') &&
        Math.abs(this.now - (modifiedAt(path) ?? 0)) <= within;
      return isMeant ? (readEntry(path) ?? []) : [];
    });
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
    // Other hooks and commands of the session may have added to it since.
    this.#known.delete(session);
    const entry = { ...this.entry(session), ...added, session };
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
    if (
      before?.project !== project ||
      (client !== null && before.client === undefined)
    )
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

  isOtherSeenSince(
    time: number,
    caller: { session: string; project: string; client: ClientProcess | null },
  ): boolean {
    return this.entries(LIVE_FOR).some(
      (entry) =>
        entry.session !== caller.session &&
        entry.project === caller.project &&
        isOpen(entry) &&
        (this.seenAt(entry.session) ?? 0) > time &&
        (entry.client === undefined ||
          !isClientGone(clientFields(entry.client), {
            ...caller,
            isSameSession: false,
          })),
    );
  }

  /**
   * The session that was cleared just before this one began in the same client process. Where the client tells no
   * process, it is the only one that was cleared in this project within the last minute. A `/clear` whose SessionEnd
   * never came ended the session that was last seen in the process. Without `isCleared`, the session goes on after a
   * `/clear` that no hook was told of.
   */
  formerOf(
    session: string,
    projects: readonly (string | null)[],
    client: ClientProcess | null,
    isCleared = true,
  ): string | null {
    const entries = this.entries(isCleared ? LIVE_FOR : FOLLOWS_WITHIN + 5_000);
    const follower = entries.find(({ followedBy }) => followedBy === session);
    if (follower !== undefined) return follower.session;
    const others = entries
      .filter(
        (entry) => entry.session !== session && entry.followedBy === undefined,
      )
      .map((entry) => ({
        ...entry,
        isSame: isSameProcess(entry.client ?? null, client),
      }));
    const recent = others
      .filter(
        ({ clearedAt = -Infinity }) =>
          Math.abs(this.now - clearedAt) <= FOLLOWS_WITHIN,
      )
      .toSorted((a, b) => (b.clearedAt ?? 0) - (a.clearedAt ?? 0));
    // An equal process id whose start cannot be read counts within the minute; without ids only the project is left.
    const possible = recent.filter(({ isSame }) => isSame === null);
    const cleared =
      recent.find(({ isSame }) => isSame === true) ??
      possible.find(
        (entry) => client !== null && entry.client?.pid === client.pid,
      );
    if (cleared !== undefined || !isCleared) return cleared?.session ?? null;
    const [here, ...more] = possible.filter(({ project }) =>
      projects.includes(project ?? null),
    );
    const only = more.length === 0 ? here?.session : undefined;
    return (
      only ?? this.lastOpen(others.filter(({ isSame }) => isSame === true))
    );
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
    const [last] = entries
      .filter(isOpen)
      .toSorted((a, b) => seenAt(b) - seenAt(a));
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
      const [, file] = /^(.+)\.SessionStart$/.exec(name) ?? [];
      if (file === undefined) continue;
      const entry = readEntry(
        join(sessionsFolder(this.config), `${file}.json`),
      );
      if ((entry?.clearedAt ?? 0) < this.now - FOLLOWS_WITHIN)
        new WakeMarks(this.config).remove(entry?.session ?? file, [
          'SessionStart',
        ]);
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

  recordFill(
    session: string,
    percent: number,
    thresholds: readonly number[],
  ): void {
    const before = this.entry(session)?.fill?.passed ?? [];
    const passed = thresholds.filter((threshold) => percent >= threshold);
    if (passed.every((threshold) => before.includes(threshold))) return;
    this.update(session, { fill: { percent, passed } });
    new WakeMarks(this.config).wake(session, ['UserPromptSubmit']);
  }

  takeFill(session: string): number | null {
    this.#known.delete(session);
    const { percent = null, passed = [] } = this.entry(session)?.fill ?? {};
    if (percent !== null) this.update(session, { fill: { passed } });
    return percent;
  }

  /** After a compaction or a clear every threshold counts again. */
  forgetFill(session: string): void {
    if (this.entry(session)?.fill !== undefined)
      this.update(session, { fill: undefined });
  }

  #prune(folder: string): void {
    const names = namesIfReadable(folder);
    if (names.length <= MAX_ENTRIES) return;
    for (const name of names) {
      const path = join(folder, name);
      const isOld = (modifiedAt(path) ?? 0) < this.now - KEPT_FOR;
      // The folder may be a link to one of the user's own, so nothing else is removed.
      if (isOld && isOurs(name, path)) rmSync(path, { force: true });
    }
  }
}

const isOurs = (name: string, path: string): boolean =>
  TEMPORARY_FILE.test(name) ||
  (name.endsWith('.json') && readEntry(path) !== null);

function readEntry(path: string): SessionEntry | null {
  const file = readTextFile(path, MAX_ENTRY_BYTES);
  return file.kind === 'text' ? parseSessionEntry(file.text) : null;
}

const isOpen = ({ endedAt, clearedAt, followedBy }: SessionEntry): boolean =>
  (endedAt ?? clearedAt ?? followedBy) === undefined;

/** The module that was loaded last, or the plan that was accepted last, by a session of this project. */
export const lastIn = <K extends 'module' | 'plan'>(
  registry: SessionRegistry,
  key: K,
  project: string,
): NonNullable<SessionEntry[K]> | undefined =>
  registry
    .entries()
    .flatMap((entry) => entry[key] ?? [])
    .filter((found) => found.project === project)
    .toSorted((a, b) => b.at - a.at)[0];
