import {
  holderOf,
  machineOfHolder,
  sessionRecord,
} from '../sessions/holder.ts';
import { isEnded } from '../state/phases.ts';
import { sameJson } from '../text/json.ts';
import { writtenAt, type Side, type Snapshot } from './commits.ts';
import { lastEvent } from './journals.ts';
import { recordKey } from './portable.ts';

/** The side whose values win comes first: that of the holder's machine, else the later one. */
export function byPrecedence(
  base: Snapshot | null,
  a: Side,
  b: Side,
): [first: Side, second: Side] {
  const { state } = sideOfHolder(base, a.snapshot, b.snapshot);
  const holdersMachine = machineOfHolder(state);
  const hasWrittenA = hasWritten(holdersMachine, base, a.snapshot);
  const hasWrittenB = hasWritten(holdersMachine, base, b.snapshot);
  if (hasWrittenA !== hasWrittenB) return hasWrittenA ? [a, b] : [b, a];
  return timeAndCommit(a) > timeAndCommit(b) ? [a, b] : [b, a];
}

/**
 * Whether the holder's machine has written to the run on this side since the base: then this side's values win.
 * `holdersMachine` is null if nobody holds the run, or if the session's record names no machine.
 */
function hasWritten(
  holdersMachine: string | null,
  base: Snapshot | null,
  { machines: lastWrites }: Snapshot,
): boolean {
  if (holdersMachine === null) return false;
  const lastWrite = lastWrites[holdersMachine];
  const lastWriteBefore = base?.machines[holdersMachine];
  return lastWrite !== undefined && !sameJson(lastWrite, lastWriteBefore);
}

/** The commit decides where both were written in the same moment, so that every machine orders them alike. */
function timeAndCommit({ snapshot, commit }: Side): string {
  return `${writtenAt(snapshot)} ${commit}`;
}

/**
 * The side whose holder counts. A session that took the run on another machine counts more than one that followed on
 * the machine that had it; of two such, the later one; any holder more than none.
 */
export function sideOfHolder(
  base: Snapshot | null,
  a: Snapshot,
  b: Snapshot,
): Snapshot {
  const holderA = holderOf(a.state);
  const holderB = holderOf(b.state);
  const before = base === null ? undefined : holderOf(base.state);
  if (holderA === holderB || holderB === before) return a;
  if (holderA === before || holderA === null) return b;
  if (holderB === null) return a;

  const machine = base === null ? null : machineOfHolder(base.state);
  const hasMovedA = machineOfHolder(a.state) !== machine;
  const hasMovedB = machineOfHolder(b.state) !== machine;
  if (hasMovedA !== hasMovedB) return hasMovedA ? a : b;
  return startOfHolder(a) >= startOfHolder(b) ? a : b;
}

/** The key decides where both started in the same moment. */
function startOfHolder({ state }: Snapshot): string {
  const record = sessionRecord(state, holderOf(state) ?? '');
  return record === undefined
    ? ''
    : `${record.started_at} ${recordKey(record)}`;
}

/** The side on which alone the run has ended. A finished run stays finished, unless it was reopened later. */
export function endedSide(
  base: Snapshot | null,
  one: Snapshot,
  two: Snapshot,
): Snapshot | undefined {
  if (isEnded(one.state) === isEnded(two.state)) return undefined;
  const [ended, open] = isEnded(one.state) ? [one, two] : [two, one];
  const hadEndedBefore =
    base !== null && isEnded(base.state) && base.endedAt === ended.endedAt;
  const wasReopened =
    lastEvent(open.journals, 'reopened') > (ended.endedAt ?? '');
  return hadEndedBefore || wasReopened ? undefined : ended;
}

/** The later end, which no reopening has undone. */
export function mergedEnd(
  base: Snapshot | null,
  one: Snapshot,
  two: Snapshot,
): string | null {
  const ended = endedSide(base, one, two);
  if (ended !== undefined) return ended.endedAt;
  const times = [one.endedAt, two.endedAt].filter((time) => time !== null);
  return times.toSorted().at(-1) ?? null;
}
