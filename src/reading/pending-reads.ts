import type { ReadingEntry } from './reading-list.ts';
import { LIVE_FOR } from '../state/live-for.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { addRange, type LineRanges } from './line-ranges.ts';

/** Limited, because a session may have read the files in a way that hooks cannot see. */
export const MAX_REFUSALS = 5;
const MAX_SESSIONS = 50;
const MAX_FILES = 50;
const MAX_PATH = 1_000;

/** The required files that a session has not opened since its run was restored. */
export interface PendingReads {
  at: number;
  owed: string[];
  reminded: boolean;
  refusals: number;
  /** The line ranges read so far, for files that are read in parts. */
  parts: Record<string, LineRanges>;
}

export function newPendingReads(owed: readonly string[], now: number): PendingReads {
  const short = owed.filter((path) => path.length <= MAX_PATH);
  return { at: now, owed: short.slice(0, MAX_FILES), reminded: false, refusals: 0, parts: {} };
}

/** Null if it is not as holdfast writes it. */
export function parsePendingReads(value: unknown): PendingReads | null {
  return isPendingReads(value) ? value : null;
}

function isPendingReads(value: unknown): value is PendingReads {
  return (
    isObject(value) &&
    typeof value['at'] === 'number' &&
    typeof value['refusals'] === 'number' &&
    Array.isArray(value['owed']) &&
    isObject(value['parts'])
  );
}

/** The newest session comes last; old and invalid entries are dropped. */
export function setPendingReads(
  receipts: JsonObject,
  session: string,
  pending: PendingReads | null,
  now: number,
): JsonObject {
  const others = Object.entries(receipts).filter(([owner, value]) => {
    const at = parsePendingReads(value)?.at;
    return owner !== session && at !== undefined && Math.abs(now - at) < LIVE_FOR;
  });
  const kept = pending === null ? others : [...others, [session, pending]];
  return Object.fromEntries(kept.slice(-MAX_SESSIONS));
}

/** Files that became required after the restore do not count. */
export function unreadFiles(
  pending: PendingReads | null,
  reading: readonly ReadingEntry[],
): ReadingEntry[] {
  return reading.filter(
    ({ path, state }) => state === 'unread' && pending?.owed.includes(path) === true,
  );
}

export function isRefusalLimitReached({ refusals }: PendingReads): boolean {
  return refusals >= MAX_REFUSALS;
}

/** Adds a range of lines of a file that is too long for one Read call. */
export function withRange(
  pending: PendingReads,
  path: string,
  part: { from: number; to: number; digest: string },
): PendingReads {
  return { ...pending, parts: { ...pending.parts, [path]: addRange(pending.parts[path], part) } };
}
