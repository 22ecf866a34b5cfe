import type { ReadingEntry } from '../guidance/reading-list.ts';
import { isObject, type JsonObject } from '../state/json.ts';
import { addPart, partsFrom, type Parts } from './read-parts.ts';

/** Someone may have read the files in a way that no hook can see. */
export const MAX_REFUSALS = 5;
const KEPT_FOR = 12 * 3_600_000;
const MAX_RECEIPTS = 50;
const MAX_OWED = 50;
const MAX_PATH = 1_000;

/** What a session owes since its run was restored: to open the required files that it was not given. */
export interface Receipt {
  at: number;
  owed: string[];
  reminded: boolean;
  refusals: number;
  /** Of files that were read in parts. */
  parts: Record<string, Parts>;
}

export function newReceipt(owed: readonly string[], now: number): Receipt {
  const short = owed.filter((path) => path.length <= MAX_PATH);
  return { at: now, owed: short.slice(0, MAX_OWED), reminded: false, refusals: 0, parts: {} };
}

export function receiptFrom(value: unknown): Receipt | null {
  if (!isObject(value) || typeof value.at !== 'number') return null;
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
export function withReceipt(
  receipts: JsonObject,
  session: string,
  receipt: Receipt | null,
  now: number,
): JsonObject {
  const others = Object.entries(receipts).filter(([owner, value]) => {
    const at = receiptFrom(value)?.at;
    return owner !== session && at !== undefined && Math.abs(now - at) < KEPT_FOR;
  });
  const kept = receipt === null ? others : [...others, [session, receipt]];
  return Object.fromEntries(kept.slice(-MAX_RECEIPTS));
}

/** What became required later was never asked for after the restore. */
export function stillOwed(
  receipt: Receipt | null,
  reading: readonly ReadingEntry[],
): ReadingEntry[] {
  return reading.filter(
    ({ path, state }) => state === 'unread' && receipt?.owed.includes(path) === true,
  );
}

export function isLetGo({ refusals }: Receipt): boolean {
  return refusals >= MAX_REFUSALS;
}

/** A file that is too long for one Read is read in parts. */
export function withPart(
  receipt: Receipt,
  path: string,
  part: { from: number; to: number; digest: string },
): Receipt {
  return { ...receipt, parts: { ...receipt.parts, [path]: addPart(receipt.parts[path], part) } };
}
