import type { ReadingEntry } from './reading-list.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { addPart, partsFrom, type Parts } from './line-ranges.ts';

/** Someone may have read the files in a way that no hook can see. */
export const MAX_REFUSALS = 5;
const KEPT_FOR = 12 * 3_600_000;
const MAX_RECEIPTS = 50;
const MAX_OWED = 50;
const MAX_PATH = 1_000;

/** What a session owes since its run was restored: to open the required files that it was not given. */
export interface PendingReads {
  at: number;
  owed: string[];
  reminded: boolean;
  refusals: number;
  /** Of files that were read in parts. */
  parts: Record<string, Parts>;
}

export function newPendingReads(owed: readonly string[], now: number): PendingReads {
  const short = owed.filter((path) => path.length <= MAX_PATH);
  return { at: now, owed: short.slice(0, MAX_OWED), reminded: false, refusals: 0, parts: {} };
}

export function parsePendingReads(value: unknown): PendingReads | null {
  if (!isObject(value) || typeof value['at'] !== 'number') return null;
  const { at, owed, reminded, refusals } = value;
  return {
    at,
    owed: Array.isArray(owed) ? owed.filter((path) => typeof path === 'string') : [],
    reminded: reminded === true,
    refusals: typeof refusals === 'number' ? refusals : 0,
    parts: partsByPath(value),
  };
}

function partsByPath({ parts }: JsonObject): Record<string, Parts> {
  return Object.fromEntries(
    Object.entries(isObject(parts) ? parts : {}).flatMap(([path, value]) => {
      const known = partsFrom(value);
      return known === null ? [] : [[path, known]];
    }),
  );
}

/** The newest last; what is old or in no form of ours is dropped. */
export function setPendingReads(
  receipts: JsonObject,
  session: string,
  receipt: PendingReads | null,
  now: number,
): JsonObject {
  const others = Object.entries(receipts).filter(([owner, value]) => {
    const at = parsePendingReads(value)?.at;
    return owner !== session && at !== undefined && Math.abs(now - at) < KEPT_FOR;
  });
  const kept = receipt === null ? others : [...others, [session, receipt]];
  return Object.fromEntries(kept.slice(-MAX_RECEIPTS));
}

/** What became required later was never asked for after the restore. */
export function unreadFiles(
  receipt: PendingReads | null,
  reading: readonly ReadingEntry[],
): ReadingEntry[] {
  return reading.filter(
    ({ path, state }) => state === 'unread' && receipt?.owed.includes(path) === true,
  );
}

export function isRefusalLimitReached({ refusals }: PendingReads): boolean {
  return refusals >= MAX_REFUSALS;
}

/** A file that is too long for one Read is read in parts. */
export function withPart(
  receipt: PendingReads,
  path: string,
  part: { from: number; to: number; digest: string },
): PendingReads {
  return { ...receipt, parts: { ...receipt.parts, [path]: addPart(receipt.parts[path], part) } };
}
