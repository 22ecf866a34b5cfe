import type { NewEvent } from '../state/journal.ts';
import { readState } from '../state/read-state.ts';
import type { RunState, SessionRecord } from '../state/types.ts';
import { sameJson, type JsonObject } from '../util/json.ts';
import { canonicalJson } from './canonical-json.ts';
import { lastEvent, lastTime, MERGES, uniteJournals, uniteMerges } from './journals.ts';
import { mergeObjects, type Conflict } from './merge-fields.ts';
import { mergeProgress, PROGRESS_FIELDS } from './merge-progress.ts';
import { isEnded } from '../state/ended.ts';
import { recordKey, uniteRecords } from './session-records.ts';
import type { MachineEntry, Snapshot } from './snapshot.ts';

/** One of the two commits that are merged. */
export interface Side {
  commit: string;
  /** When it was made. */
  at: string;
  snapshot: Snapshot;
}

/** What both sides have in common. */
export interface Base {
  /** Its commit; several where merges have crossed. */
  commit: string;
  snapshot: Snapshot;
}

export interface MergeResult {
  snapshot: Snapshot;
  conflicts: Conflict[];
}

/**
 * Three-way merge by field. The result depends on the commits alone, not on the machine that merges or on the order
 * of the sides, so that two machines that merge the same commits make the same one.
 */
export function mergeSides(base: Base | null, a: Side, b: Side): MergeResult {
  const before = base?.snapshot ?? null;
  const [first, second] = inOrder(before, a, b);
  const conflicts: Conflict[] = [];
  const { state, endedAt } = mergeStates(before, first, second, conflicts);
  const journals = uniteJournals(first.snapshot.journals, second.snapshot.journals);
  const at = first.at > second.at ? first.at : second.at;
  const since = base?.commit ?? '';
  const lines = conflicts.map((conflict) =>
    conflictLine(conflict, { at, commit: second.commit, since }),
  );
  const merges = uniteMerges(journals[MERGES] ?? [], lines);
  return {
    snapshot: {
      state,
      slug: before?.slug ?? first.snapshot.slug,
      endedAt,
      machines: mergeMachines(first.snapshot.machines, second.snapshot.machines),
      journals: merges.length === 0 ? journals : { ...journals, [MERGES]: merges },
    },
    conflicts,
  };
}

const MAX_VALUE = 2_000;

/** The commit has the whole value, should it be too long for a line. */
function conflictLine(
  { field, kept, other }: Conflict,
  { at, commit, since }: { at: string; commit: string; since: string },
): string {
  const short = (value: unknown): unknown => {
    const text = JSON.stringify(value) ?? 'null';
    return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : (value ?? null);
  };
  const event: NewEvent = { event: 'conflict', field, kept: short(kept), other: short(other) };
  return canonicalJson({ at, ...event, commit, since }, 0);
}

function mergeMachines(
  a: Readonly<Record<string, MachineEntry>>,
  b: Readonly<Record<string, MachineEntry>>,
): Record<string, MachineEntry> {
  const later = Object.entries(b).filter(([machine, entry]) => {
    const known = a[machine];
    if (known === undefined) return true;
    return entry.writes === known.writes ? entry.at > known.at : entry.writes > known.writes;
  });
  return { ...a, ...Object.fromEntries(later) };
}

/** The side whose values win comes first: that of the holder's machine, else the later one. */
function inOrder(base: Snapshot | null, a: Side, b: Side): [Side, Side] {
  const machine = machineOfHolder(sideOfHolder(base, a, b).snapshot.state);
  const [isA, isB] = [a, b].map((side) => hasWritten(side.snapshot, base, machine));
  if (isA !== isB) return isA === true ? [a, b] : [b, a];
  if (a.at !== b.at) return a.at > b.at ? [a, b] : [b, a];
  // Git counts in seconds, and the first sync of a worktree has no base: its run may have moved within the same second.
  const [lastA, lastB] = [lastTime(a.snapshot.journals), lastTime(b.snapshot.journals)];
  if (lastA !== lastB) return lastA > lastB ? [a, b] : [b, a];
  return a.commit < b.commit ? [a, b] : [b, a];
}

function hasWritten(snapshot: Snapshot, base: Snapshot | null, machine: string | null): boolean {
  if (machine === null) return false;
  const entry = snapshot.machines[machine];
  return entry !== undefined && !sameJson(entry, base?.machines[machine]);
}

function holderOf(state: RunState): string | null {
  return state.sessions?.current_session_id ?? null;
}

function holderRecord(state: RunState): SessionRecord | undefined {
  const holder = holderOf(state);
  return state.sessions?.session_history?.findLast((record) => record.session_id === holder);
}

function machineOfHolder(state: RunState): string | null {
  return holderRecord(state)?.environment?.machine ?? null;
}

/**
 * The side whose holder counts. A session that took the run on another machine counts more than one that followed on
 * the machine that had it; of two such, the later one; any holder more than none.
 */
function sideOfHolder(base: Snapshot | null, a: Side, b: Side): Side {
  const [left, right] = [a.snapshot.state, b.snapshot.state];
  if (holderOf(left) === holderOf(right)) return a;
  const before = base === null ? undefined : holderOf(base.state);
  if (holderOf(right) === before) return a;
  if (holderOf(left) === before) return b;
  if (holderOf(left) === null) return b;
  if (holderOf(right) === null) return a;
  const machine = base === null ? null : machineOfHolder(base.state);
  const [isLeftMoved, isRightMoved] = [left, right].map(
    (state) => machineOfHolder(state) !== machine,
  );
  if (isLeftMoved !== isRightMoved) return isLeftMoved === true ? a : b;
  const rank = (state: RunState): string => {
    const record = holderRecord(state);
    return record === undefined ? '' : `${record.started_at} ${recordKey(record)}`;
  };
  return rank(left) >= rank(right) ? a : b;
}

const MERGED_APART: ReadonlySet<string> = new Set([
  ...PROGRESS_FIELDS,
  'status',
  'status_reason',
  'sessions',
  'created_at',
]);

function mergeStates(
  base: Snapshot | null,
  first: Side,
  second: Side,
  conflicts: Conflict[],
): Pick<Snapshot, 'state' | 'endedAt'> {
  const [before, one, two] = [base?.state, first.snapshot.state, second.snapshot.state];
  const status = mergeStatus(base, first.snapshot, second.snapshot, conflicts);
  const progress = mergeProgress(before, one, two, status.final, conflicts);
  // A template run that failed on one side and moved on the other is what the side is that its position comes from.
  const isTied = progress.from?.machine !== undefined && status.final === null;
  const merged = {
    ...mergeObjects(remaining(before), remaining(one), remaining(two), '', conflicts),
    created_at: one.created_at < two.created_at ? one.created_at : two.created_at,
    ...progress.fields,
    ...(isTied && progress.from !== null ? statusFields(progress.from) : status.fields),
    sessions: mergeSessions(base, first, second),
  };
  const reading = readState(merged, { workflow: one.workflow, createdAt: () => one.created_at });
  // Both sides are runs, and every field comes from one of them.
  if ('defect' in reading) throw new TypeError(`not a run: ${reading.defect}`);
  return { state: reading.state, endedAt: isEnded(reading.state) ? status.endedAt : null };
}

function remaining(state: RunState | undefined): JsonObject {
  return Object.fromEntries(Object.entries(state ?? {}).filter(([key]) => !MERGED_APART.has(key)));
}

function statusFields({ status, status_reason: reason }: RunState): JsonObject {
  return { status, ...(reason === undefined ? {} : { status_reason: reason }) };
}

interface MergedStatus {
  fields: JsonObject;
  /** The side on which alone the run has ended, if it stays so. */
  final: RunState | null;
  endedAt: string | null;
}

/** A finished run stays finished, unless it was reopened later. */
function mergeStatus(
  base: Snapshot | null,
  first: Snapshot,
  second: Snapshot,
  conflicts: Conflict[],
): MergedStatus {
  const [isFirstEnded, isSecondEnded] = [isEnded(first.state), isEnded(second.state)];
  if (isFirstEnded !== isSecondEnded) {
    const [ended, open] = isFirstEnded ? [first, second] : [second, first];
    return wasReopened(base, ended, open)
      ? { fields: statusFields(open.state), final: null, endedAt: null }
      : { fields: statusFields(ended.state), final: ended.state, endedAt: ended.endedAt };
  }
  const fields = mergeObjects(
    base === null ? {} : statusFields(base.state),
    statusFields(first.state),
    statusFields(second.state),
    '',
    conflicts,
  );
  // A reason belongs to its status.
  const isFirst = fields['status'] === first.state.status;
  const reason = (isFirst ? first : second).state.status_reason;
  const { status_reason: merged, ...status } = fields;
  const isSame = first.state.status === second.state.status;
  const kept = isSame ? merged : reason;
  const times = [first.endedAt, second.endedAt].filter((time) => time !== null);
  return {
    fields: { ...status, ...(kept === undefined ? {} : { status_reason: kept }) },
    final: null,
    endedAt: times.toSorted()[0] ?? null,
  };
}

function wasReopened(base: Snapshot | null, ended: Snapshot, open: Snapshot): boolean {
  const isAsBefore = base !== null && isEnded(base.state) && base.endedAt === ended.endedAt;
  return isAsBefore || lastEvent(open.journals, 'reopened') > (ended.endedAt ?? '');
}

function mergeSessions(
  base: Snapshot | null,
  first: Side,
  second: Side,
): NonNullable<RunState['sessions']> {
  const histories = [first, second].map(
    ({ snapshot }) => snapshot.state.sessions?.session_history ?? [],
  );
  const [one = [], two = []] = histories;
  const byKey = new Map(one.map((record) => [recordKey(record), record]));
  const before = new Map(
    (base?.state.sessions?.session_history ?? []).map((record) => [recordKey(record), record]),
  );
  const merged = two.map((record): SessionRecord => {
    const key = recordKey(record);
    const known = byKey.get(key);
    if (known === undefined) return record;
    // Both are records of one session; only its own machine writes them, so nothing is in conflict.
    const fields = mergeObjects({ ...before.get(key) }, { ...known }, { ...record }, '', []);
    return { ...known, ...fields };
  });
  const { state } = sideOfHolder(base, first, second).snapshot;
  return { current_session_id: holderOf(state), session_history: uniteRecords(one, merged) };
}
