import { readJournal, type JournalEvent } from '../state/journal.ts';
import { readState } from '../state/read-state.ts';
import type { FieldConflict, RunState, SessionRecord } from '../state/types.ts';
import { isObject, sameJson } from '../util/json.ts';
import { conflictKey, MERGES, type TimedEvent } from './journals.ts';
import { isElsewhere, shortSession } from './session-records.ts';
import type { Snapshot } from './snapshot.ts';

const MAX_RECORDS = 50;

/** A run that came from elsewhere: no session here holds it, and it is only offered. */
export function arrivedState({ state }: Snapshot): RunState {
  return { source: { kind: 'cli' }, ...state, adopted: true, from_sync: true };
}

/**
 * The state file after a merge. `mine` is what this machine has sent of `local`: where the merge agrees with it, the
 * file stays as it is, with its full paths and ids.
 */
export function appliedState(
  local: RunState,
  mine: Snapshot,
  merged: Snapshot,
  { machine, now, journal }: { machine: string; now: Date; journal: readonly TimedEvent[] },
): RunState {
  const { sessions: _local, ...localRest } = local;
  const { sessions: _mine, ...mineRest } = mine.state;
  const { sessions: _merged, ...mergedRest } = merged.state;
  const reading = readState(overlay(localRest, mineRest, mergedRest), {
    workflow: local.workflow,
    createdAt: () => local.created_at,
  });
  // Both are runs, and every field comes from one of them.
  if ('defect' in reading) throw new TypeError(`not a run: ${reading.defect}`);
  return {
    ...reading.state,
    ...withLocalFacts(local, reading.state),
    ...withConflicts(local, newConflicts(mine, merged, journal)),
    sessions: appliedSessions(local, merged.state, machine, now),
  };
}

/**
 * What merges have decided since `mine`. A sync that was killed before it had noted that the run is in step has left
 * some of it in `journal`, which is that of this machine.
 */
export function newConflicts(
  mine: Snapshot,
  merged: Snapshot,
  journal: readonly TimedEvent[],
): FieldConflict[] {
  const known = new Set([...eventsOf(mine), ...journal].map((event) => conflictKey(event)));
  return eventsOf(merged).flatMap((event) => {
    const { field, kept, other } = event;
    const key = conflictKey(event);
    return key === null || known.has(key) || typeof field !== 'string'
      ? []
      : [{ field, kept, other }];
  });
}

function eventsOf({ journals }: Snapshot): JournalEvent[] {
  return (journals[MERGES] ?? []).flatMap((line) => readJournal(line));
}

const MAX_CONFLICTS = 20;

function withConflicts(
  { conflicts = [] }: RunState,
  more: readonly FieldConflict[],
): Pick<RunState, 'conflicts'> {
  return more.length === 0 ? {} : { conflicts: [...conflicts, ...more].slice(-MAX_CONFLICTS) };
}

/** A fact that stays here keeps its value, whatever others call by the same name. */
function withLocalFacts(local: RunState, merged: RunState): Pick<RunState, 'context'> {
  const names = local.local_facts ?? [];
  const kept = Object.entries(local.context ?? {}).filter(([key]) => names.includes(key));
  if (kept.length === 0) return {};
  return { context: Object.fromEntries([...Object.entries(merged.context ?? {}), ...kept]) };
}

/** `local` with the changes from `mine` to `merged`. What `mine` left out stays. */
function overlay(local: unknown, mine: unknown, merged: unknown): unknown {
  if (sameJson(mine, merged)) return local;
  if (Array.isArray(local) && Array.isArray(mine) && Array.isArray(merged)) {
    const entries: unknown[] = local;
    return merged.map((entry) => {
      const at = mine.findIndex((known) => sameJson(known, entry));
      return at < 0 || at >= entries.length ? entry : entries[at];
    });
  }
  if (!isObject(local) || !isObject(mine) || !isObject(merged)) return merged;
  const kept = Object.keys(local).filter(
    (key) => !Object.hasOwn(mine, key) || Object.hasOwn(merged, key),
  );
  const added = Object.keys(merged).filter((key) => !Object.hasOwn(local, key));
  return Object.fromEntries([
    ...kept.map((key) => [
      key,
      Object.hasOwn(mine, key) ? overlay(local[key], mine[key], merged[key]) : local[key],
    ]),
    ...added.map((key) => [key, merged[key]]),
  ]);
}

function appliedSessions(
  local: RunState,
  merged: RunState,
  machine: string,
  now: Date,
): NonNullable<RunState['sessions']> {
  const own = (local.sessions?.session_history ?? []).filter((record) => !isElsewhere(record));
  const ownIds = new Map(own.map(({ session_id: id }) => [shortSession(id), id]));
  const history = merged.sessions?.session_history ?? [];
  const others = history.filter(
    (record) => record.environment?.machine !== machine || !ownIds.has(record.session_id),
  );
  const current = merged.sessions?.current_session_id ?? null;
  const holder = history.findLast((record) => record.session_id === current);
  const isHere = holder === undefined || holder.environment?.machine === machine;
  const ownHolder = current === null || !isHere ? undefined : ownIds.get(current);
  const records = [...own, ...others].toSorted((a, b) => (a.started_at < b.started_at ? -1 : 1));
  const former = local.sessions?.current_session_id ?? null;
  return {
    ...local.sessions,
    current_session_id: ownHolder ?? current,
    session_history: records
      .map((record) =>
        !isHere && record.session_id === former && !isElsewhere(record)
          ? takenOver(record, holder, now)
          : record,
      )
      .slice(-MAX_RECORDS),
  };
}

/** The former holder does not get the run back by itself, and is told who has it now. */
function takenOver(record: SessionRecord, holder: SessionRecord, now: Date): SessionRecord {
  return {
    ...record,
    released_at: now.toISOString(),
    taken_over: {
      machine: holder.environment?.machine ?? '',
      session_id: holder.session_id,
      at: holder.started_at,
    },
  };
}
