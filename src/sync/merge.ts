import { isEnded } from '../state/phases.ts';
import type { NewEvent } from '../state/journal.ts';
import {
  holderOf,
  machineOfHolder,
  sessionRecord,
} from '../sessions/holder.ts';
import { excerpts } from '../state/conflicts.ts';
import type { FieldConflict, RunState, SessionRecord } from '../state/types.ts';
import { mergeList } from '../sources/merge-entries.ts';
import {
  isObject,
  ownEntry,
  sameJson,
  type JsonObject,
  canonicalJson,
} from '../text/json.ts';
import { lastEvent, MERGES, uniteJournals } from './journals.ts';
import { mergeNotes } from './merge-notes.ts';
import {
  fieldsOf,
  inOrder,
  recordKey,
  toSnapshot,
  type LocalRun,
  type Place,
} from './portable.ts';
import type { RunRefs } from './refs.ts';
import {
  readRun,
  sameContent,
  writtenAt,
  type Commits,
  type Side,
  type Snapshot,
} from './commits.ts';

export type Outgoing = ReturnType<typeof outgoing>;

/** The state file as it may leave this machine, and the commit that it continues. */
export function outgoing(
  commits: Commits,
  run: LocalRun,
  { base, local }: RunRefs,
  place: Place,
) {
  const readSnapshot = ({ commit }: { commit: string }): Snapshot =>
    commits.read(commit).snapshot;
  const mine = toSnapshot(
    run,
    base === undefined ? null : readSnapshot(base),
    place,
  );
  // The newer first: a sync that was killed may have written the state file without the note that it is in step.
  const inStep = [local, base].find((ref) => {
    const before = ref && readSnapshot(ref);
    return (
      before !== undefined &&
      sameContent(toSnapshot(run, before, place), before)
    );
  });
  return {
    mine,
    base: (inStep ?? base)?.commit,
    isChanged: inStep === undefined,
  };
}

/**
 * The commit that the run should be at: the state file, as a commit after the one that it was last in step with, merged
 * with what is known here and of the remote. Equal content makes no commit. Undefined if there is nothing at all.
 */
export function planRun(
  commits: Commits,
  own: Outgoing | null,
  refs: RunRefs,
): string | undefined {
  const tips = [refs.local, refs.tracking].flatMap((ref) => ref?.commit ?? []);
  const heads = own === null ? tips : [headOf(commits, own, tips), ...tips];
  const [first, ...rest] = new Set(heads);
  return (
    first &&
    rest.reduce((merged, head) => mergeHeads(commits, merged, head), first)
  );
}

function headOf(
  commits: Commits,
  { mine, base, isChanged }: Outgoing,
  others: readonly string[],
) {
  if (base !== undefined && !isChanged) return base;
  const same = others.find((commit) =>
    sameContent(mine, commits.read(commit).snapshot),
  );
  return same ?? commits.write(mine, base === undefined ? [] : [base]);
}

/** One commit that continues both. */
export function mergeHeads(commits: Commits, a: string, b: string): string {
  const ancestors = commits.commonAncestors(a, b);
  if (ancestors.includes(a)) return b;
  if (ancestors.includes(b)) return a;
  const snapshot = mergeSides(
    baseOf(commits, ancestors, 0),
    commits.read(a),
    commits.read(b),
  );
  // In one order, so that every machine makes the same commit.
  return commits.write(snapshot, [a, b].toSorted());
}

/** Deep histories of merges that cross each other are rare; the first ancestor decides below this. */
const MAX_DEPTH = 4;

/** Where merges cross, there are several common ancestors: as in git, their merge is the base. */
function baseOf(
  commits: Commits,
  ancestors: readonly string[],
  depth: number,
): Side | null {
  const [first, ...rest] = ancestors.toSorted();
  if (first === undefined) return null;
  const start = commits.read(first);
  if (depth >= MAX_DEPTH) return start;
  const snapshot = rest.reduce((merged, commit) => {
    const base = baseOf(
      commits,
      commits.commonAncestors(first, commit),
      depth + 1,
    );
    return mergeSides(
      base,
      { ...start, snapshot: merged },
      commits.read(commit),
    );
  }, start.snapshot);
  return { commit: [first, ...rest].join(' '), snapshot };
}

/**
 * Three-way merge by field. The result depends on the commits alone, not on the machine that merges or on the order
 * of the sides, so that two machines that merge the same commits make the same one.
 */
export function mergeSides(base: Side | null, a: Side, b: Side): Snapshot {
  const before = base?.snapshot ?? null;
  const [first, second] = byPrecedence(before, a, b);
  const [one, two] = [first.snapshot, second.snapshot];
  const { conflicts, ...run } = mergeStates(before, one, two);
  const machines = Object.entries(two.machines).filter(
    ([machine, { at }]) => at > (one.machines[machine]?.at ?? ''),
  );
  const merged = {
    ...run,
    machines: { ...one.machines, ...Object.fromEntries(machines) },
  };
  const decided = {
    at: writtenAt(merged),
    commit: second.commit,
    since: base?.commit ?? '',
  };
  const lines = conflicts.map((conflict) => conflictLine(conflict, decided));
  const journals = uniteJournals(one.journals, two.journals);
  return {
    ...merged,
    journals:
      lines.length === 0
        ? journals
        : uniteJournals(journals, { [MERGES]: lines }),
  };
}

/** Longer values are cut, because each machine keeps the line. The commit has them whole. */
const MAX_VALUE = 2_000;

function conflictLine(
  { field, kept, other }: FieldConflict,
  decided: JsonObject,
): string {
  const texts = [kept, other].map((value) => JSON.stringify(value) ?? 'null');
  const [keptText = '', otherText = ''] = texts;
  const isLong = texts.some((text) => text.length > MAX_VALUE);
  const values = isLong
    ? excerpts(keptText, otherText, MAX_VALUE)
    : { kept: kept ?? null, other: other ?? null };
  const event: NewEvent = { event: 'conflict', field, ...values };
  return canonicalJson({ ...decided, ...event }, 0);
}

/**
 * Three-way merge of the values of the base and of both sides; undefined stands for a field that is absent. Objects merge
 * by key and lists unite; of two other values that both differ from the base the first wins. What one side changed and
 * the other removed stays.
 */
function mergeField(
  sides: readonly unknown[],
  field: string,
  conflicts: FieldConflict[],
): unknown {
  const [base, first, second] = sides;
  if (sameJson(first, second) || sameJson(second, base)) return first;
  if (sameJson(first, base)) return second;
  if (first === undefined) return second;
  if (second === undefined) return first;
  if (Array.isArray(first) && Array.isArray(second)) {
    const [before = [], one = [], two = []] = sides.map((list) =>
      Array.isArray(list) ? list.map((entry) => canonicalJson(entry, 0)) : [],
    );
    return mergeList(one, two, before).map((entry): unknown =>
      JSON.parse(entry),
    );
  }
  if (isObject(first) && isObject(second))
    return mergeObjects(
      [isObject(base) ? base : {}, first, second],
      field,
      conflicts,
    );
  conflicts.push({ field, kept: first, other: second });
  return first;
}

function mergeObjects(
  sides: JsonObject[],
  field: string,
  conflicts: FieldConflict[],
): JsonObject {
  const [, ...changed] = sides;
  return Object.fromEntries(
    [...new Set(changed.flatMap((side) => Object.keys(side)))].flatMap(
      (key) => {
        const name = field === '' ? key : `${field}.${key}`;
        const values = sides.map((side) => ownEntry(side, key));
        const value = mergeField(values, name, conflicts);
        return value === undefined ? [] : [[key, value]];
      },
    ),
  );
}

function mergeStates(base: Snapshot | null, one: Snapshot, two: Snapshot) {
  const conflicts: FieldConflict[] = [];
  const ended = endedSide(base, one, two);
  const isOneEnded = isEnded(one.state);
  const isReopened = ended === undefined && isOneEnded !== isEnded(two.state);
  // The position of the side on which alone the run has ended counts.
  const [winner, loser] =
    ended === two ? [two.state, one.state] : [one.state, two.state];
  const chosen = chooseSide(positionOf, base?.state, winner, loser);
  const position =
    ended === undefined || chosen.from === winner
      ? chosen
      : { from: winner, isConflict: true };
  if (position.isConflict) {
    // The phase is told in any case, since people know their place by it.
    const isTold = (key: string): boolean =>
      key === 'phase' ||
      key === 'machine' ||
      !sameJson(winner[key], loser[key]);
    const [kept, other] = [winner, loser].map((state) =>
      fieldsOf(positionOf(state), isTold),
    );
    conflicts.push({ field: 'position', kept, other });
  }
  // A status goes with its reason, and with the position if that was decided.
  const status = chooseSide(statusOf, base?.state, winner, loser);
  if (
    status.isConflict &&
    !position.isConflict &&
    ended === undefined &&
    !isReopened
  )
    conflicts.push(statusConflict(winner, loser));
  const open = isOneEnded ? two.state : one.state;
  const others = [base?.state, one.state, two.state].map(otherFields);
  const state = readRun({
    ...mergeObjects(others, '', conflicts),
    ...mergeNotes(base?.state, one.state, two.state),
    ...positionOf(position.from),
    ...statusOf(
      isReopened
        ? open
        : position.isConflict || ended !== undefined
          ? winner
          : status.from,
    ),
    created_at:
      one.state.created_at < two.state.created_at
        ? one.state.created_at
        : two.state.created_at,
    sessions: mergeSessions(base, one, two),
  });
  const times = [one.endedAt, two.endedAt].filter((time) => time !== null);
  // The later end, which no reopening has undone.
  const endedAt = ended === undefined ? times.toSorted().at(-1) : ended.endedAt;
  return {
    state,
    endedAt: isEnded(state) ? (endedAt ?? null) : null,
    conflicts,
  };
}

/** Two machines may give one status for two reasons. */
function statusConflict(winner: RunState, loser: RunState): FieldConflict {
  const field =
    STATUS.find((key) => !sameJson(winner[key], loser[key])) ?? 'status';
  return { field, kept: winner[field], other: loser[field] };
}

/** Where a run stands is one field: a phase of one side has no place in the list of the other. */
const POSITION = [
  'phase',
  'phases',
  'skipped',
  'failure',
  'template',
  'machine',
];
const STATUS = ['status', 'status_reason', 'ended_early'];
const NOTES = ['notes', 'last_note'];
const MERGED_APART = new Set([
  ...POSITION,
  ...STATUS,
  ...NOTES,
  'sessions',
  'created_at',
]);

type Part = (state: RunState | undefined) => JsonObject;

const positionOf: Part = (state) =>
  fieldsOf(state ?? {}, (key) => POSITION.includes(key));
const statusOf: Part = (state) =>
  fieldsOf(state ?? {}, (key) => STATUS.includes(key));
const otherFields: Part = (state) =>
  fieldsOf(state ?? {}, (key) => !MERGED_APART.has(key));

/** The side that changed something that is one value. Without anything in common, the further phase counts. */
function chooseSide(
  part: Part,
  base: RunState | undefined,
  winner: RunState,
  loser: RunState,
) {
  const [before, won, lost] = [base, winner, loser].map(part);
  if (sameJson(won, lost) || (base !== undefined && sameJson(lost, before)))
    return { from: winner, isConflict: false };
  if (base !== undefined && sameJson(won, before))
    return { from: loser, isConflict: false };
  const ahead = loser.phase.current - winner.phase.current;
  if (base === undefined && ahead !== 0)
    return {
      from: ahead > 0 && !isEnded(winner) ? loser : winner,
      isConflict: false,
    };
  return { from: winner, isConflict: true };
}

/** The side on which alone the run has ended. A finished run stays finished, unless it was reopened later. */
function endedSide(
  base: Snapshot | null,
  one: Snapshot,
  two: Snapshot,
): Snapshot | undefined {
  if (isEnded(one.state) === isEnded(two.state)) return undefined;
  const [ended, open] = isEnded(one.state) ? [one, two] : [two, one];
  const isAsBefore =
    base !== null && isEnded(base.state) && base.endedAt === ended.endedAt;
  const isReopened =
    isAsBefore || lastEvent(open.journals, 'reopened') > (ended.endedAt ?? '');
  return isReopened ? undefined : ended;
}

/** The side whose values win comes first: that of the holder's machine, else the later one. */
function byPrecedence(base: Snapshot | null, a: Side, b: Side): [Side, Side] {
  const machine = machineOfHolder(
    sideOfHolder(base, a.snapshot, b.snapshot).state,
  );
  const hasWritten = ({ snapshot: { machines } }: Side): boolean =>
    machine !== null &&
    machines[machine] !== undefined &&
    !sameJson(machines[machine], base?.machines[machine]);
  if (hasWritten(a) !== hasWritten(b)) return hasWritten(a) ? [a, b] : [b, a];
  const rank = ({ snapshot, commit }: Side): string =>
    `${writtenAt(snapshot)} ${commit}`;
  return rank(a) > rank(b) ? [a, b] : [b, a];
}

/**
 * The side whose holder counts. A session that took the run on another machine counts more than one that followed on
 * the machine that had it; of two such, the later one; any holder more than none.
 */
function sideOfHolder(
  base: Snapshot | null,
  a: Snapshot,
  b: Snapshot,
): Snapshot {
  const [left, right] = [holderOf(a.state), holderOf(b.state)];
  const before = base === null ? undefined : holderOf(base.state);
  if (left === right || right === before) return a;
  if (left === before || left === null) return b;
  if (right === null) return a;
  const machine = base === null ? null : machineOfHolder(base.state);
  const [isLeftMoved, isRightMoved] = [a, b].map(
    ({ state }) => machineOfHolder(state) !== machine,
  );
  if (isLeftMoved !== isRightMoved) return isLeftMoved === true ? a : b;
  const rank = ({ state }: Snapshot): string => {
    const record = sessionRecord(state, holderOf(state) ?? '');
    return record === undefined
      ? ''
      : `${record.started_at} ${recordKey(record)}`;
  };
  return rank(a) >= rank(b) ? a : b;
}

/** Only a session's own machine writes its record, so nothing is in conflict. */
function mergeSessions(
  base: Snapshot | null,
  one: Snapshot,
  two: Snapshot,
): JsonObject {
  const byKey = (side: Snapshot | null): Map<string, SessionRecord> =>
    new Map(
      side?.state.sessions?.session_history?.map((record) => [
        recordKey(record),
        record,
      ]),
    );
  const [before, first, second] = [byKey(base), byKey(one), byKey(two)];
  const records = [...new Map([...first, ...second])].map(
    ([key, record]): SessionRecord => {
      const earlier = first.get(key);
      if (earlier === undefined || sameJson(earlier, record)) return record;
      return sameJson(earlier, before.get(key))
        ? record
        : { ...record, ...earlier };
    },
  );
  return {
    current_session_id: holderOf(sideOfHolder(base, one, two).state),
    session_history: inOrder(records).slice(-100),
  };
}
