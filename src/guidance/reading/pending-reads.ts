import { LIVE_FOR } from '../../state/live-for.ts';
import type { Transaction } from '../../state/store/store.ts';
import { isObject } from '../../text/json.ts';
import { pluralize } from '../../text/relative-time.ts';
import { asWord } from '../../text/sanitize.ts';
import { someOf } from '../frame.ts';
import {
  isReadable,
  isTextFile,
  type ReadingEntry,
} from './required-reading.ts';

// Which required files a session still has to open after its run was restored, and what it is told about them.

/** Of one restored run: limited, because a session may have read the files in a way that hooks cannot see. */
const MAX_REFUSALS = 5;
/** Of all sessions, in one file that hooks read at each call. */
const MAX_SESSIONS = 50;
/** Files that one session owes. */
const MAX_OWED = 50;
/** Ranges of lines that are remembered of one file. */
const MAX_RANGES = 100;
/** Files that a reminder names. */
const MAX_NAMED = 8;

/** The required files that a session has not opened since its run was restored. */
export interface PendingReads {
  /** When the run was restored, in milliseconds. */
  at: number;
  /** With @, as they stand in the run. */
  owed: string[];
  /** Whether the session was told at a prompt. */
  reminded: boolean;
  /** How many edits were refused because of them. */
  refusals: number;
  /** For files that are read in parts: the ranges of lines that were read of one version of the file. */
  parts: Record<string, { digest: string; ranges: LineRange[] }>;
}

export type LineRange = [from: number, to: number];

export const isPendingReads = (value: unknown): value is PendingReads =>
  isObject(value) && Array.isArray(value['owed']) && isObject(value['parts']);

/** The newest session comes last; old and invalid entries are dropped. */
export function savePendingReads(
  tx: Transaction,
  session: string,
  pending: PendingReads | null,
): void {
  const now = tx.now.getTime();
  // The clock may have been set back since.
  const isRecent = (at: number): boolean => Math.abs(now - at) < LIVE_FOR;
  const others = Object.entries(tx.hookState.receipts).filter(
    ([owner, value]) =>
      owner !== session && isPendingReads(value) && isRecent(value.at),
  );
  const kept = pending === null ? others : [...others, [session, pending]];
  tx.saveHookState({
    ...tx.hookState,
    receipts: Object.fromEntries(kept.slice(-MAX_SESSIONS)),
  });
}

/** Of folders, binary files and very large files, hooks cannot tell whether they were read, so they are not owed. */
export function recordPendingReads(
  tx: Transaction,
  session: string,
  {
    reading,
    inlined,
  }: { reading: readonly ReadingEntry[]; inlined: readonly { id: string }[] },
): void {
  const inlinedIds = new Set(inlined.map(({ id }) => id));
  const owed = reading
    .filter((entry) => isReadable(entry) && !inlinedIds.has(entry.path))
    .map(({ path }) => path)
    .slice(0, MAX_OWED)
    .filter((path) => isTextFile(tx.root, path.slice(1)));
  if (owed.length > 0) {
    const at = tx.now.getTime();
    const pending = { at, owed, reminded: false, refusals: 0, parts: {} };
    savePendingReads(tx, session, pending);
  } else if (tx.hookState.receipts[session] !== undefined)
    savePendingReads(tx, session, null);
}

/** Adds a range of lines of a file that is too long for one Read call; ranges of another version are dropped. */
export function withRange(
  pending: PendingReads,
  path: string,
  digest: string,
  range: LineRange,
): PendingReads {
  const part = pending.parts[path];
  const before = part?.digest === digest ? part.ranges : [];
  const ranges = [...before, range].slice(-MAX_RANGES);
  return {
    ...pending,
    parts: { ...pending.parts, [path]: { digest, ranges } },
  };
}

/** A compaction takes what was read in parts out of the context. */
export function forgetParts(tx: Transaction, session: string): void {
  const pending = tx.hookState.receipts[session];
  if (isPendingReads(pending))
    savePendingReads(tx, session, { ...pending, parts: {} });
}

/** Whether the ranges that were read make up a file of so many lines. */
export function isCovered(
  { parts }: PendingReads,
  path: string,
  lines: number,
): boolean {
  const ranges = (parts[path]?.ranges ?? []).toSorted(([a], [b]) => a - b);
  let end = 0;
  for (const [from, to] of ranges) {
    if (from > end + 1) break;
    end = Math.max(end, to);
  }
  return end >= lines;
}

export const refusalsLeft = ({ refusals }: PendingReads): number =>
  Math.max(0, MAX_REFUSALS - refusals);

/** Hooks cannot see files that an @ mention added, so the note says that those count as read. */
export function readingReminder(unread: readonly ReadingEntry[]): string {
  return `Required files not read since this workflow was restored: ${named(unread)}. Open them with the Read tool (files added with @ count as read).`;
}

export function readingRefusal(
  unread: readonly ReadingEntry[],
  left: number,
): string {
  const bound =
    left === 0
      ? 'edits will not be refused again'
      : `edits will be refused at most ${pluralize(left, 'more time')}`;
  return `reading.enforce is "block": before changes, the Read tool has to open these files of the restored workflow: ${named(unread)}. Read, Glob, Grep and holdfast stay available; ${bound}.`;
}

function named(entries: readonly ReadingEntry[]): string {
  const paths = entries.map(({ path }) => asWord(path));
  const all = paths.length > MAX_NAMED ? ' (`holdfast status` lists them)' : '';
  return `${someOf(paths, MAX_NAMED)}${all}`;
}
