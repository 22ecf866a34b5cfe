import { readJournal } from '../state/journal.ts';
import type { FieldConflict, RunState, SessionRecord } from '../state/types.ts';
import { isObject, sameJson, type JsonObject } from '../text/json.ts';
import { readRun, type Snapshot } from './commits.ts';
import { conflictKey, MERGES, type TimedEvent } from './journals.ts';
import { isElsewhere, shortSession } from './portable.ts';

/** The latest ones, which people still have to look at. */
const MAX_CONFLICTS = 20;
/** The latest sessions; the shared run keeps more. */
const MAX_SESSIONS = 50;

/** A run that came from elsewhere: no session here holds it, and it is only offered. */
export function arrivedState({ state }: Snapshot): RunState {
  return { source: { kind: 'cli' }, ...state, adopted: true, from_sync: true };
}

/** Where the merge agrees with `mine`, which was sent of `local`, the file stays as it is, with full paths and ids. */
export function appliedState(
  local: RunState,
  mine: Snapshot,
  merged: Snapshot,
  here: { machine: string; now: Date; journal: readonly TimedEvent[] },
): RunState {
  const applied = overlay(
    withoutSessions(local),
    withoutSessions(mine.state),
    withoutSessions(merged.state),
  );
  const state = { ...readRun(isObject(applied) ? applied : {}) };

  // A fact that stays here keeps its value, whatever others call by the same name.
  for (const [key, value] of Object.entries(local.context ?? {}))
    if (local.local_facts?.includes(key))
      state.context = { ...state.context, [key]: value };

  const conflicts = [
    ...(local.conflicts ?? []),
    ...newConflicts(mine, merged, here.journal),
  ];
  if (conflicts.length > 0) state.conflicts = conflicts.slice(-MAX_CONFLICTS);
  const sessions = appliedSessions(local, merged.state, here.machine, here.now);
  return { ...state, sessions };
}

function withoutSessions({ sessions: _sessions, ...fields }: RunState): object {
  return fields;
}

/** What merges decided since `mine`. A sync killed before it noted that the run is in step left some of it in `journal`. */
export function newConflicts(
  mine: Snapshot,
  merged: Snapshot,
  journal: readonly TimedEvent[],
): FieldConflict[] {
  const known = new Set(
    [...decisionsIn(mine), ...journal].map((event) => conflictKey(event)),
  );
  const conflicts: FieldConflict[] = [];
  for (const event of decisionsIn(merged)) {
    const { field, kept, other } = event;
    if (typeof field !== 'string' || known.has(conflictKey(event))) continue;
    conflicts.push({ field, kept, other });
  }
  return conflicts;
}

function decisionsIn({ journals }: Snapshot): TimedEvent[] {
  const lines = journals[MERGES] ?? [];
  return lines.flatMap((line) => readJournal(line));
}

/** `local` with the changes from `mine` to `merged`. What `mine` left out stays. */
function overlay(local: unknown, mine: unknown, merged: unknown): unknown {
  if (sameJson(mine, merged)) return local;
  if (Array.isArray(local) && Array.isArray(mine) && Array.isArray(merged))
    return overlayLists(local, mine, merged);
  if (isObject(local) && isObject(mine) && isObject(merged))
    return overlayObjects(local, mine, merged);
  return merged;
}

/** An entry that was sent stays as it is here, where its texts have full paths. */
function overlayLists(
  local: readonly unknown[],
  mine: readonly unknown[],
  merged: readonly unknown[],
): unknown[] {
  return merged.map((entry) => {
    const index = mine.findIndex((sent) => sameJson(sent, entry));
    const isHere = index !== -1 && index < local.length;
    return isHere ? local[index] : entry;
  });
}

function overlayObjects(
  local: JsonObject,
  mine: JsonObject,
  merged: JsonObject,
): JsonObject {
  const keys = new Set([...Object.keys(local), ...Object.keys(merged)]);
  const entries: [string, unknown][] = [];
  for (const key of keys) {
    if (!Object.hasOwn(local, key)) entries.push([key, merged[key]]);
    else if (!Object.hasOwn(mine, key)) entries.push([key, local[key]]);
    else if (Object.hasOwn(merged, key))
      entries.push([key, overlay(local[key], mine[key], merged[key])]);
    // Otherwise another machine has removed it.
  }
  return Object.fromEntries(entries);
}

/** Own sessions with their full ids, those of other machines as they came. */
function appliedSessions(
  local: RunState,
  merged: RunState,
  machine: string,
  now: Date,
): NonNullable<RunState['sessions']> {
  const own = (local.sessions?.session_history ?? []).filter(
    (record) => !isElsewhere(record),
  );
  const fullIds = new Map(
    own.map(({ session_id: id }) => [shortSession(id), id]),
  );
  const current = merged.sessions?.current_session_id ?? null;
  const history = merged.sessions?.session_history ?? [];
  const others = history.filter(
    ({ session_id: id, environment }) =>
      environment?.machine !== machine || !fullIds.has(id),
  );

  const holder = history.findLast((record) => record.session_id === current);
  const isHolderHere =
    holder === undefined || holder.environment?.machine === machine;
  const fullId = isHolderHere ? fullIds.get(current ?? '') : undefined;

  let records = [...own, ...others].toSorted(byStart);
  const former = local.sessions?.current_session_id ?? null;
  if (!isHolderHere && former !== null)
    records = records.map((record) => releasedIf(record, former, now));
  return {
    ...local.sessions,
    current_session_id: fullId ?? current,
    session_history: records.slice(-MAX_SESSIONS),
  };
}

function byStart(a: SessionRecord, b: SessionRecord): number {
  return a.started_at < b.started_at ? -1 : 1;
}

/** The former holder does not get the run back by itself; it is told who has the run. */
function releasedIf(
  record: SessionRecord,
  former: string,
  now: Date,
): SessionRecord {
  if (record.session_id !== former || isElsewhere(record)) return record;
  return { ...record, released_at: now.toISOString() };
}
