import type { NewEvent } from '../state/journal.ts';
import { holderOf } from '../sessions/holder.ts';
import { excerpts } from '../state/conflicts.ts';
import { isEnded } from '../state/phases.ts';
import type { FieldConflict, RunState, SessionRecord } from '../state/types.ts';
import { canonicalJson, sameJson, type JsonObject } from '../text/json.ts';
import { readRun, writtenAt, type Side, type Snapshot } from './commits.ts';
import {
  byPrecedence,
  endedSide,
  mergedEnd,
  sideOfHolder,
} from './side-that-wins.ts';
import { MERGES, uniteJournals } from './journals.ts';
import { mergeObjects } from './merge-fields.ts';
import { mergeNotes } from './merge-notes.ts';
import { fieldsOf, inOrder, MAX_SESSIONS, recordKey } from './portable.ts';

/**
 * Three-way merge by field. The result depends on the commits alone, not on the machine that merges or on the order
 * of the sides, so that two machines that merge the same commits make the same one.
 */
export function mergeSides(base: Side | null, a: Side, b: Side): Snapshot {
  const before = base?.snapshot ?? null;
  const [first, second] = byPrecedence(before, a, b);
  const one = first.snapshot;
  const two = second.snapshot;
  const { state, endedAt, conflicts } = mergeStates(before, one, two);
  const machines = laterEntries(one.machines, two.machines);

  const decided = {
    at: writtenAt({ machines }),
    commit: second.commit,
    since: base?.commit ?? '',
  };
  const lines = conflicts.map((conflict) => conflictLine(conflict, decided));
  let journals = uniteJournals(one.journals, two.journals);
  if (lines.length > 0) journals = uniteJournals(journals, { [MERGES]: lines });
  return { state, endedAt, machines, journals };
}

/** What each machine wrote last. */
function laterEntries(
  one: Snapshot['machines'],
  two: Snapshot['machines'],
): Snapshot['machines'] {
  const later = Object.entries(two).filter(
    ([machine, { at }]) => at > (one[machine]?.at ?? ''),
  );
  return { ...one, ...Object.fromEntries(later) };
}

/** Longer values are cut, because each machine keeps the line. The commit has them whole. */
const MAX_VALUE_CHARS = 2_000;

function conflictLine(
  { field, kept = null, other = null }: FieldConflict,
  decided: JsonObject,
): string {
  const keptText = JSON.stringify(kept);
  const otherText = JSON.stringify(other);
  const isLong =
    keptText.length > MAX_VALUE_CHARS || otherText.length > MAX_VALUE_CHARS;
  const values = isLong
    ? excerpts(keptText, otherText, MAX_VALUE_CHARS)
    : { kept, other };
  const event: NewEvent = { event: 'conflict', field, ...values };
  return canonicalJson({ ...decided, ...event }, 0);
}

interface MergedState {
  state: RunState;
  endedAt: string | null;
  conflicts: FieldConflict[];
}

/** Values of `one` win. */
function mergeStates(
  base: Snapshot | null,
  one: Snapshot,
  two: Snapshot,
): MergedState {
  const conflicts: FieldConflict[] = [];
  const position = mergePosition(base, one, two, conflicts);
  const others = mergeObjects(
    {
      base: otherFieldsOf(base?.state),
      first: otherFieldsOf(one.state),
      second: otherFieldsOf(two.state),
    },
    conflicts,
  );
  const createdFirst =
    one.state.created_at < two.state.created_at ? one.state : two.state;
  const state = readRun({
    ...others,
    ...mergeNotes(base?.state, one.state, two.state),
    ...position,
    created_at: createdFirst.created_at,
    sessions: mergeSessions(base, one, two),
  });
  const endedAt = isEnded(state) ? mergedEnd(base, one, two) : null;
  return { state, endedAt, conflicts };
}

/** Where a run stands is one field: a phase of one side has no place in the list of the other. */
const POSITION_FIELDS = [
  'phase',
  'phases',
  'skipped',
  'failure',
  'template',
  'machine',
];
/** A status goes with its reason. */
const STATUS_FIELDS = ['status', 'status_reason', 'ended_early'];
const NOTE_FIELDS = ['notes', 'last_note'];
const MERGED_APART: ReadonlySet<string> = new Set([
  ...POSITION_FIELDS,
  ...STATUS_FIELDS,
  ...NOTE_FIELDS,
  'sessions',
  'created_at',
]);

function positionOf(state: RunState | undefined): JsonObject {
  return fieldsOf(state ?? {}, (key) => POSITION_FIELDS.includes(key));
}

function statusOf(state: RunState | undefined): JsonObject {
  return fieldsOf(state ?? {}, (key) => STATUS_FIELDS.includes(key));
}

function otherFieldsOf(state: RunState | undefined): JsonObject {
  return fieldsOf(state ?? {}, (key) => !MERGED_APART.has(key));
}

/** The fields of position and status. */
function mergePosition(
  base: Snapshot | null,
  one: Snapshot,
  two: Snapshot,
  conflicts: FieldConflict[],
): JsonObject {
  const ended = endedSide(base, one, two);
  if (ended !== undefined) {
    // The position of the side on which alone the run has ended counts, and its status.
    const winner = ended.state;
    const loser = ended === one ? two.state : one.state;
    const chosen = chooseSide(positionOf, base?.state, winner, loser);
    if (chosen.isConflict || chosen.from !== winner)
      conflicts.push(positionConflict(winner, loser));
    return { ...positionOf(winner), ...statusOf(winner) };
  }

  const [winner, loser] = [one.state, two.state];
  const position = chooseSide(positionOf, base?.state, winner, loser);
  if (position.isConflict) conflicts.push(positionConflict(winner, loser));

  const isReopened = isEnded(winner) !== isEnded(loser);
  if (isReopened) {
    const open = isEnded(winner) ? loser : winner;
    return { ...positionOf(position.from), ...statusOf(open) };
  }
  // If the position was decided, its status goes with it.
  if (position.isConflict)
    return { ...positionOf(winner), ...statusOf(winner) };

  const status = chooseSide(statusOf, base?.state, winner, loser);
  if (status.isConflict) conflicts.push(statusConflict(winner, loser));
  return { ...positionOf(position.from), ...statusOf(status.from) };
}

/** The side that changed something that is one value. Without anything in common, the further phase counts. */
function chooseSide(
  partOf: (state: RunState | undefined) => JsonObject,
  base: RunState | undefined,
  winner: RunState,
  loser: RunState,
): { from: RunState; isConflict: boolean } {
  const won = partOf(winner);
  const lost = partOf(loser);
  if (sameJson(won, lost)) return { from: winner, isConflict: false };
  if (base === undefined) {
    const ahead = loser.phase.current - winner.phase.current;
    const isLoserFurther = ahead > 0 && !isEnded(winner);
    return { from: isLoserFurther ? loser : winner, isConflict: ahead === 0 };
  }
  const before = partOf(base);
  if (sameJson(lost, before)) return { from: winner, isConflict: false };
  if (sameJson(won, before)) return { from: loser, isConflict: false };
  return { from: winner, isConflict: true };
}

function positionConflict(winner: RunState, loser: RunState): FieldConflict {
  // The phase is told in any case, since people know their place by it.
  const isTold = (key: string): boolean =>
    key === 'phase' || key === 'machine' || !sameJson(winner[key], loser[key]);
  return {
    field: 'position',
    kept: fieldsOf(positionOf(winner), isTold),
    other: fieldsOf(positionOf(loser), isTold),
  };
}

/** Two machines may give one status for two reasons. */
function statusConflict(winner: RunState, loser: RunState): FieldConflict {
  const differing = STATUS_FIELDS.find(
    (key) => !sameJson(winner[key], loser[key]),
  );
  const field = differing ?? 'status';
  return { field, kept: winner[field], other: loser[field] };
}

/** Only a session's own machine writes its record, so nothing is in conflict. */
function mergeSessions(
  base: Snapshot | null,
  one: Snapshot,
  two: Snapshot,
): JsonObject {
  const before = recordsByKey(base);
  const first = recordsByKey(one);
  const records = new Map(first);
  for (const [key, record] of recordsByKey(two)) {
    const ofFirst = first.get(key);
    const isChangedInFirst =
      ofFirst !== undefined &&
      !sameJson(ofFirst, record) &&
      !sameJson(ofFirst, before.get(key));
    records.set(key, isChangedInFirst ? { ...record, ...ofFirst } : record);
  }
  return {
    current_session_id: holderOf(sideOfHolder(base, one, two).state),
    session_history: inOrder([...records.values()]).slice(-MAX_SESSIONS),
  };
}

function recordsByKey(side: Snapshot | null): Map<string, SessionRecord> {
  const history = side?.state.sessions?.session_history ?? [];
  return new Map(history.map((record) => [recordKey(record), record]));
}
