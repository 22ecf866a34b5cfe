import { readJournal } from '../state/journal.ts';
import type { RunState } from '../state/types.ts';
import { isObject, sameJson } from '../text/json.ts';
import { conflictKey, MERGES, type TimedEvent } from './journals.ts';
import { isElsewhere, shortSession } from './portable.ts';
import { readRun, type Snapshot } from './snapshot.ts';

/** A run that came from elsewhere: no session here holds it, and it is only offered. */
export function arrivedState({ state }: Snapshot): RunState {
  return { source: { kind: 'cli' }, ...state, adopted: true, from_sync: true };
}

/** Where the merge agrees with `mine`, which was sent of `local`, the file stays as it is, with full paths and ids. */
export function appliedState(
  local: RunState,
  mine: Snapshot,
  merged: Snapshot,
  { machine, now, journal }: { machine: string; now: Date; journal: readonly TimedEvent[] },
): RunState {
  const [file, before, after] = [local, mine.state, merged.state].map(
    ({ sessions: _sessions, ...fields }) => fields,
  );
  const applied = overlay(file, before, after);
  const state = readRun(isObject(applied) ? applied : {});
  // A fact that stays here keeps its value, whatever others call by the same name.
  const facts = Object.entries(local.context ?? {}).filter(([key]) =>
    local.local_facts?.includes(key),
  );
  const conflicts = [...(local.conflicts ?? []), ...newConflicts(mine, merged, journal)];
  return {
    ...state,
    ...(facts.length === 0 ? {} : { context: { ...state.context, ...Object.fromEntries(facts) } }),
    ...(conflicts.length === 0 ? {} : { conflicts: conflicts.slice(-20) }),
    sessions: appliedSessions(local, merged.state, machine, now),
  };
}

/** What merges decided since `mine`. A sync killed before it noted that the run is in step left some of it in `journal`. */
export function newConflicts(mine: Snapshot, merged: Snapshot, journal: readonly TimedEvent[]) {
  const decisions = ({ journals }: Snapshot): TimedEvent[] =>
    (journals[MERGES] ?? []).flatMap((line) => readJournal(line));
  const keys = new Set([...decisions(mine), ...journal].map((event) => conflictKey(event)));
  return decisions(merged).flatMap((event) => {
    const { field, kept, other } = event;
    const isKnown = keys.has(conflictKey(event)) || typeof field !== 'string';
    return isKnown ? [] : [{ field, kept, other }];
  });
}

/** `local` with the changes from `mine` to `merged`. What `mine` left out stays. */
function overlay(local: unknown, mine: unknown, merged: unknown): unknown {
  if (sameJson(mine, merged)) return local;
  if (Array.isArray(local) && Array.isArray(mine) && Array.isArray(merged)) {
    const entries: unknown[] = local;
    return merged.map((entry) => {
      const at = mine.findIndex((other) => sameJson(other, entry));
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

function appliedSessions(local: RunState, merged: RunState, machine: string, now: Date) {
  const own = (local.sessions?.session_history ?? []).filter((record) => !isElsewhere(record));
  const ownIds = new Map(own.map(({ session_id: id }) => [shortSession(id), id]));
  const { current_session_id: current = null, session_history: history = [] } =
    merged.sessions ?? {};
  const others = history.filter(
    (record) => record.environment?.machine !== machine || !ownIds.has(record.session_id),
  );
  const holder = history.findLast((record) => record.session_id === current);
  const isHere = holder === undefined || holder.environment?.machine === machine;
  const former = local.sessions?.current_session_id ?? null;
  return {
    ...local.sessions,
    current_session_id: (isHere ? ownIds.get(current ?? '') : undefined) ?? current,
    session_history: [...own, ...others]
      .toSorted((a, b) => (a.started_at < b.started_at ? -1 : 1))
      .map((record) =>
        !isHere && record.session_id === former && !isElsewhere(record)
          ? // The former holder does not get the run back by itself; it is told who has the run.
            { ...record, released_at: now.toISOString() }
          : record,
      )
      .slice(-50),
  };
}
