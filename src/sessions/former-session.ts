import { isSameProcess, type ClientProcess } from './client-process.ts';
import type { SessionEntry } from './session-entries.ts';

/** How long after a `/clear` the session that follows it may begin, in milliseconds. */
export const FOLLOWS_WITHIN = 60_000;

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
export function formerSession(
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
