import type { RunState, SessionRecord } from '../state/types.ts';
import { sameJson } from '../util/json.ts';
import type { Snapshot } from './snapshot.ts';

const MAX_SESSIONS = 100;
const SHORT_ID = 8;

/** The sessions as they may leave this machine: shortened ids, and of each only when and what it worked on. */
export function portableSessions(
  state: RunState,
  base: Snapshot | null,
  machine: string,
): NonNullable<RunState['sessions']> {
  const own = (state.sessions?.session_history ?? [])
    .filter((record) => !isElsewhere(record))
    .map((record) => portableRecord(record, machine));
  const known = base?.state.sessions?.session_history ?? [];
  const current = state.sessions?.current_session_id ?? null;
  // A copy of a run has brought along the sessions of the machine that it came from.
  const ofOthers = known.filter(({ environment }) => environment?.machine !== machine);
  const isCopied = (record: SessionRecord): boolean =>
    record.session_id !== shortSession(current ?? '') &&
    ofOthers.some((other) => sameJson({ ...other, environment: record.environment }, record));
  const history = uniteRecords(
    known,
    own.filter((record) => !isCopied(record)),
  );
  const holder =
    current === null
      ? undefined
      : state.sessions?.session_history?.findLast((record) => record.session_id === current);
  return {
    current_session_id:
      current === null || (holder !== undefined && isElsewhere(holder))
        ? current
        : shortSession(current),
    session_history: history,
  };
}

/** A record that came by sync names its machine. */
export function isElsewhere({ environment }: SessionRecord): boolean {
  return typeof environment?.machine === 'string';
}

function portableRecord(record: SessionRecord, machine: string): SessionRecord {
  const { session_id: id, started_at, ended_at, end_reason, phases_completed: done } = record;
  return {
    session_id: shortSession(id),
    started_at,
    ...(ended_at === undefined ? {} : { ended_at }),
    ...(end_reason === undefined ? {} : { end_reason }),
    ...(done === undefined ? {} : { phases_completed: done }),
    environment: { machine },
  };
}

/** Later records replace earlier ones of the same session. */
export function uniteRecords(
  known: readonly SessionRecord[],
  more: readonly SessionRecord[],
): SessionRecord[] {
  const byKey = new Map([...known, ...more].map((record) => [recordKey(record), record]));
  return [...byKey]
    .map(([key, record]) => ({ record, rank: `${record.started_at} ${key}` }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(-MAX_SESSIONS)
    .map(({ record }) => record);
}

export function recordKey({ session_id: id, environment }: SessionRecord): string {
  return `${environment?.machine ?? ''} ${id}`;
}

export function shortSession(session: string): string {
  if (session.length <= SHORT_ID) return session;
  // Characters, of which each has at most two units.
  return Array.from(session.slice(0, 2 * SHORT_ID))
    .slice(0, SHORT_ID)
    .join('');
}
