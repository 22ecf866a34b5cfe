import type { UnwrittenFile } from '../errors/files.ts';
import { modifiedAt } from '../io/read-file.ts';
import type { ClientProcess } from './client-process.ts';
import { FOLLOWS_WITHIN, formerSession, type ArrivingSession } from './former-session.ts';
import { SessionEntries, type SessionEntry } from './session-entries.ts';
import { OwedFiles } from '../state/store/owed-files.ts';
import { heartbeatFile, owedFolder, sessionFile } from './session-file.ts';

const MAX_CHAIN = 100;

/** What is known of sessions outside any project. */
export class SessionRegistry {
  readonly #entries: SessionEntries;
  readonly #known = new Map<string, SessionEntry | null>();

  constructor(
    private readonly config: string,
    private readonly now: number,
    onProblem?: (problem: UnwrittenFile) => void,
  ) {
    this.#entries = new SessionEntries(config, now, onProblem);
  }

  /** As it was when it was first asked for; what is written is based on what is there by then. */
  entry(session: string): SessionEntry | null {
    const known = this.#known.get(session);
    return known === undefined ? this.#reread(session) : known;
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

  /**
   * Remembers where the session holds a run, so that it finds it from any other folder. What bin/hook.sh knows of it in
   * another project no longer counts.
   */
  recordProject(session: string, project: string): void {
    const before = this.entry(session)?.project;
    if (before === project) return;
    this.#write({ session, ...this.#reread(session), project });
    if (before !== undefined) new OwedFiles(owedFolder(this.config, before)).remove(session);
  }

  recordClear(session: string, project: string, client: ClientProcess | null): void {
    const { followedBy: _followedBy, ...before } = this.#reread(session) ?? { session };
    this.#write({
      ...before,
      project,
      ...(client === null ? {} : { client }),
      clearedAt: this.now,
    });
    this.#entries.markCleared(session);
  }

  /** For an MCP server, which must learn of the sessions that follow this one by `/clear`. */
  recordServer(session: string): void {
    if (this.#reread(session) === null) this.#write({ session });
  }

  /** The session that was cleared just before this one began in the same client process. */
  formerOf(arriving: Omit<ArrivingSession, 'now'>): string | null {
    const entries = this.#entries.all(FOLLOWS_WITHIN + 5_000);
    return formerSession(entries, { ...arriving, now: this.now })?.session ?? null;
  }

  recordFollower(former: string, session: string): void {
    const before = this.#reread(former);
    if (before?.followedBy === session) return;
    this.#write({ session: former, ...before, followedBy: session });
    this.#entries.unmarkCleared(former);
    // So that a `/clear` of this session is recorded in its turn.
    if (this.#reread(session) === null) this.#write({ session });
  }

  /** Removes the marks of sessions that nobody followed. */
  forgetOldClears(): void {
    this.#entries.removeMarks(FOLLOWS_WITHIN);
  }

  /** A conversation from before a `/clear` that is opened again stands for itself, not for its successor. */
  recordReturn(session: string): void {
    const before = this.#reread(session);
    if (before?.followedBy === undefined) return;
    const { followedBy: _followedBy, clearedAt: _clearedAt, ...rest } = before;
    this.#write(rest);
  }

  /** The fill to tell the session about, once. */
  takeFill(session: string): number | null {
    const before = this.#reread(session);
    if (before?.fill === undefined || before.fill.isTold) return null;
    this.#write({ ...before, fill: { ...before.fill, isTold: true } });
    return before.fill.percent;
  }

  /** Asks anew, because the status line may have recorded it meanwhile. */
  isFillUntold(session: string): boolean {
    return this.#reread(session)?.fill?.isTold === false;
  }

  /** After a compaction or a clear every threshold counts again. */
  forgetFill(session: string): void {
    if (this.entry(session)?.fill === undefined) return;
    const { fill: _fill, ...rest } = this.#reread(session) ?? { session };
    this.#write(rest);
  }

  #reread(session: string): SessionEntry | null {
    const entry = this.#entries.read(session);
    this.#known.set(session, entry);
    return entry;
  }

  #write(entry: SessionEntry): void {
    this.#entries.write(entry);
    this.#known.delete(entry.session);
  }
}
