import { LIVE_FOR } from '../../state/live-for.ts';
import type { Transaction } from '../../state/store/store.ts';
import { isObject } from '../../text/json.ts';
import { pluralize } from '../../text/relative-time.ts';
import { oneLine, someOf } from '../frame.ts';
import type { RenderedRestoration } from '../restore/render-restoration.ts';
import { isReadable, isTextFile, type ReadingEntry } from './reading-list.ts';

/** Limited, because a session may have read the files in a way that hooks cannot see. */
const MAX_REFUSALS = 5;
const MAX_SESSIONS = 50;
const MAX_OWED = 50;
const MAX_RANGES = 100;
const MAX_NAMED = 8;

/** The required files that a session has not opened since its run was restored. */
export interface PendingReads {
  at: number;
  owed: string[];
  reminded: boolean;
  refusals: number;
  /** For files that are read in parts: the ranges of lines that were read of one version of the file. */
  parts: Record<string, { digest: string; ranges: LineRange[] }>;
}

export type LineRange = [from: number, to: number];

/** Whether it is as holdfast writes it. */
export function isPendingReads(value: unknown): value is PendingReads {
  return isObject(value) && Array.isArray(value['owed']) && isObject(value['parts']);
}

/** The newest session comes last; old and invalid entries are dropped. */
export function savePendingReads(
  tx: Transaction,
  session: string,
  pending: PendingReads | null,
): void {
  const now = tx.now.getTime();
  const others = Object.entries(tx.hookState.receipts).filter(
    ([owner, value]) =>
      owner !== session && isPendingReads(value) && Math.abs(now - value.at) < LIVE_FOR,
  );
  const kept = pending === null ? others : [...others, [session, pending]];
  const receipts = Object.fromEntries(kept.slice(-MAX_SESSIONS));
  tx.saveHookState({ ...tx.hookState, receipts });
}

/**
 * After a full restore, the session still has to open the required files that were not included. Folders, binary files
 * and very large files are left out, because hooks cannot tell whether they were read.
 */
export function recordPendingReads(
  tx: Transaction,
  session: string,
  { reading, inlined }: Pick<RenderedRestoration, 'reading' | 'inlined'>,
): void {
  const owed = reading
    .filter((entry) => isReadable(entry) && !inlined.some(({ id }) => id === entry.path))
    .map(({ path }) => path)
    .slice(0, MAX_OWED)
    .filter((path) => isTextFile(tx.root, path.slice(1)));
  if (owed.length === 0 && tx.hookState.receipts[session] === undefined) return;
  const at = tx.now.getTime();
  const pending = { at, owed, reminded: false, refusals: 0, parts: {} };
  savePendingReads(tx, session, owed.length === 0 ? null : pending);
}

/** Adds a range of lines of a file that is too long for one Read call; ranges of another version are dropped. */
export function withRange(
  pending: PendingReads,
  path: string,
  digest: string,
  range: LineRange,
): PendingReads {
  const known = pending.parts[path];
  const before = known?.digest === digest ? known.ranges : [];
  const ranges = [...before, range].slice(-MAX_RANGES);
  return { ...pending, parts: { ...pending.parts, [path]: { digest, ranges } } };
}

/** Whether the ranges that were read make up a file of so many lines. */
export function isCovered({ parts }: PendingReads, path: string, lines: number): boolean {
  const ranges = (parts[path]?.ranges ?? []).toSorted(([a], [b]) => a - b);
  const end = ranges.reduce((last, [from, to]) => (from > last + 1 ? last : Math.max(last, to)), 0);
  return end >= lines;
}

export function refusalsLeft({ refusals }: PendingReads): number {
  return Math.max(0, MAX_REFUSALS - refusals);
}

/** Hooks cannot see files that an @ mention added, so the note says that those count as read. */
export function readingReminder(unread: readonly ReadingEntry[]): string {
  return `Required files not read since this workflow was restored: ${named(unread)}. Open them with the Read tool (files added with @ count as read).`;
}

/** Why a tool call is refused. */
export function readingRefusal(unread: readonly ReadingEntry[], left: number): string {
  const bound =
    left === 0
      ? 'edits will not be refused again'
      : `edits will be refused at most ${pluralize(left, 'more time')}`;
  return `reading.enforce is "block": before changes, the Read tool has to open these files of the restored workflow: ${named(unread)}. Read, Glob, Grep and holdfast stay available; ${bound}.`;
}

function named(entries: readonly ReadingEntry[]): string {
  const paths = entries.map(({ path }) => oneLine(path, 200));
  const all = paths.length > MAX_NAMED ? ' (`holdfast status` lists them)' : '';
  return `${someOf(paths, MAX_NAMED)}${all}`;
}
