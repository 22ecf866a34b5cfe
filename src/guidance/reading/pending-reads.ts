import { LIVE_FOR } from '../../state/live-for.ts';
import type { Transaction } from '../../state/store/store.ts';
import { isObject } from '../../text/json.ts';
import { pluralize } from '../../text/relative-time.ts';
import { asWord } from '../../text/sanitize.ts';
import { someOf } from '../frame.ts';
import {
  isReadable,
  MAX_LOOKUPS,
  isTextFile,
  type ReadingEntry,
} from './required-reading.ts';

// Which required files a session still has to open after its run was restored, and what it is told about them.

/** Of one restored run: limited, because a session may have the content in a way that its transcript does not show. */
const MAX_REFUSALS = 5;
/** Of all sessions, in one file that hooks read at each call. */
const MAX_SESSIONS = 50;
/** Files that a reminder names. */
const MAX_NAMED = 8;

/**
 * A restored session that may not have its required files in its context. Which ones it has is asked later, because
 * the client attaches some of them again by itself once the restore is over.
 */
export interface PendingReads {
  /** When the run was restored, in milliseconds. */
  at: number;
  /** Whether the session was told at a prompt. */
  reminded: boolean;
  /** How many edits were refused because of them. */
  refusals: number;
}

export const isPendingReads = (value: unknown): value is PendingReads =>
  isObject(value) &&
  typeof value['reminded'] === 'boolean' &&
  typeof value['refusals'] === 'number';

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

/** After a restore that did not give all required files. Of folders and binary files nobody can tell whether they were read. */
export function recordPendingReads(
  tx: Transaction,
  session: string,
  {
    reading,
    inlined,
  }: { reading: readonly ReadingEntry[]; inlined: readonly { id: string }[] },
): void {
  const inlinedIds = new Set(inlined.map(({ id }) => id));
  const isPending = reading
    .slice(0, MAX_LOOKUPS)
    .some(
      (entry) =>
        isReadable(entry) &&
        !inlinedIds.has(entry.path) &&
        isTextFile(tx.root, entry.path.slice(1)),
    );
  if (isPending) {
    const at = tx.now.getTime();
    savePendingReads(tx, session, { at, reminded: false, refusals: 0 });
  } else if (tx.hookState.receipts[session] !== undefined)
    savePendingReads(tx, session, null);
}

export const refusalsLeft = ({ refusals }: PendingReads): number =>
  Math.max(0, MAX_REFUSALS - refusals);

export function readingReminder(unread: readonly ReadingEntry[]): string {
  return `Required files of this workflow that are not in this conversation since it was restored: ${named(unread)}. Open them with the Read tool.`;
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
