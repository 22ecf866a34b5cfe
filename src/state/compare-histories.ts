import { isObject, sameJson } from '../text/json.ts';
import type { EventName } from './journal.ts';
import type { JournalEvent, RunState } from './types.ts';

/** One copy of a run: its state and its journal, of which the oldest events may be missing. */
export type RunHistory = { state: RunState; events: readonly JournalEvent[] };

/**
 * How another copy of a run relates to the one here: it has the `same` history, it `continues` the one here, it is
 * `behind`, or both have `diverged`: each has progress that the other lacks.
 */
export type HistoryRelation = 'same' | 'continues' | 'behind' | 'diverged';

/** Compares what was done in both copies; revisions and times of different machines prove nothing. */
export function compareHistories(
  here: RunHistory,
  other: RunHistory,
): HistoryRelation {
  const hereProgress = progressIn(here);
  const otherProgress = progressIn(other);
  const isBehind = isContinuedBy(otherProgress, hereProgress);
  const isAhead = isContinuedBy(hereProgress, otherProgress);
  if (isAhead && !isBehind)
    return isMovedByHand(here.state, hereProgress) ? 'diverged' : 'continues';
  if (isBehind && !isAhead)
    return isMovedByHand(other.state, otherProgress) ? 'diverged' : 'behind';
  if (sameJson(contentOf(here.state), contentOf(other.state))) return 'same';
  // The same progress: sessions have gone on, in one copy or in both.
  const isNewer = isContinuedBy(here.events, other.events);
  const isOlder = isContinuedBy(other.events, here.events);
  if (isNewer === isOlder) return 'diverged';
  return isNewer ? 'continues' : 'behind';
}

/** Who worked on a run, not what became of it: these differ between machines. */
const BOOKKEEPING: ReadonlySet<string> = new Set<EventName>([
  'claimed',
  'context',
  'held',
  'imported',
  'primed',
  'read',
  'released',
  'restored',
  'session_ended',
]);

function progressIn({ events }: RunHistory): JournalEvent[] {
  return events.filter(({ event }) => !BOOKKEEPING.has(event));
}

/**
 * Whether `longer` has the last event of `shorter`, and the same before it; long journals drop their older half. Any event
 * continues an empty journal, as that of a state file written by hand.
 */
function isContinuedBy(
  shorter: readonly JournalEvent[],
  longer: readonly JournalEvent[],
): boolean {
  const last = shorter.length - 1;
  return longer.some((_, end) => {
    for (let back = 0; back <= Math.min(last, end); back += 1) {
      if (!sameJson(shorter[last - back], longer[end - back])) return false;
    }
    return true;
  });
}

/** These events record the phase that they lead to. */
const MOVES = new Set(['started', 'advanced', 'pivoted']);

/** Whether the state file is at another phase than its journal, because somebody edited it. */
function isMovedByHand(
  { phase }: RunState,
  progress: readonly JournalEvent[],
): boolean {
  const last = progress.at(-1);
  if (last === undefined || !MOVES.has(last.event) || !isObject(last['phase']))
    return false;
  return last['phase']['current'] !== phase.current;
}

/** What every write changes, and what belongs to the sessions of one machine. */
const LOCAL_FIELDS = new Set([
  'revision',
  'updated_at',
  'sessions',
  'hold',
  'context_metadata',
  'adopted',
  'run_id',
  'schema_version',
]);

function contentOf(state: RunState): object {
  const shared = Object.entries(state).filter(
    ([key]) => !LOCAL_FIELDS.has(key),
  );
  return Object.fromEntries(shared);
}
