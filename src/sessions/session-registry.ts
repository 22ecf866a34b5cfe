import type { UnwrittenFile } from '../errors/files.ts';
import { modifiedAt } from '../io/read-file.ts';
import type { ClientProcess } from './client-process.ts';
import { FOLLOWS_WITHIN, formerSession, type ArrivingSession } from './former-session.ts';
import { SessionEntries, type SessionEntry } from './session-entries.ts';
import { heartbeatFile, sessionFile } from './session-file.ts';

const MAX_CHAIN = 100;

/** What is known of sessions outside any project. */
export class SessionRegistry {
  readonly #entries: SessionEntries;

  constructor(
    private readonly config: string,
    private readonly now: number,
    onProblem?: (problem: UnwrittenFile) => void,
  ) {
    this.#entries = new SessionEntries(config, now, onProblem);
  }

  entry(session: string): SessionEntry | null {
    return this.#entries.read(session);
  }

  /** When something was last recorded about the session. */
  changedAt(session: string): number | null {
    return modifiedAt(sessionFile(this.config, session));
  }

  /** When bin/hook.sh last saw the session; null if it has not. */
  seenAt(session: string): number | null {
    return modifiedAt(heartbeatFile(this.config, session));
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
    if (before?.project !== project) this.#entries.write({ session, ...before, project });
  }

  recordClear(session: string, project: string, client: ClientProcess | null): void {
    const { followedBy: _followedBy, ...before } = this.entry(session) ?? { session };
    this.#entries.write({
      ...before,
      project,
      ...(client === null ? {} : { client }),
      clearedAt: this.now,
    });
    this.#entries.markCleared(session);
  }

  /** For an MCP server, which must learn of the sessions that follow this one by `/clear`. */
  recordServer(session: string): void {
    if (this.entry(session) === null) this.#entries.write({ session });
  }

  /** The session that was cleared just before this one began in the same client process. */
  formerOf(arriving: Omit<ArrivingSession, 'now'>): string | null {
    const entries = this.#entries.all(FOLLOWS_WITHIN + 5_000);
    return formerSession(entries, { ...arriving, now: this.now })?.session ?? null;
  }

  recordFollower(former: string, session: string): void {
    const before = this.entry(former);
    if (before?.followedBy === session) return;
    this.#entries.write({ session: former, ...before, followedBy: session });
    this.#entries.unmarkCleared(former);
    // So that a `/clear` of this session is recorded in its turn.
    if (this.entry(session) === null) this.#entries.write({ session });
  }

  /** Removes the marks of sessions that nobody followed. */
  forgetOldClears(): void {
    this.#entries.removeMarks(FOLLOWS_WITHIN);
  }

  /** A conversation from before a `/clear` that is opened again stands for itself, not for its successor. */
  recordReturn(session: string): void {
    const before = this.entry(session);
    if (before?.followedBy === undefined) return;
    const { followedBy: _followedBy, clearedAt: _clearedAt, ...rest } = before;
    this.#entries.write(rest);
  }

  /** The fill to tell the session about, once. */
  takeFill(session: string): number | null {
    const before = this.entry(session);
    if (before?.fill === undefined || before.fill.isTold) return null;
    this.#entries.write({ ...before, fill: { ...before.fill, isTold: true } });
    return before.fill.percent;
  }

  /** After a compaction or a clear every threshold counts again. */
  forgetFill(session: string): void {
    const { fill, ...rest } = this.entry(session) ?? { session };
    if (fill !== undefined) this.#entries.write(rest);
  }
}
