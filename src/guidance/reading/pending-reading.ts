import { holderOf } from '../../sessions/holder.ts';
import type { OperationContext } from '../../sessions/open-project.ts';
import type { StoredRun } from '../../state/types.ts';
import {
  MAX_REFUSALS,
  type ReadingEntry,
  parsePendingReads,
  projectFiles,
  readingList,
  unreadFiles,
} from './reading-list.ts';

/** What hooks will still do about the pending reads of a session. */
export interface PendingReading {
  files: string[];
  /** Whether the next prompt includes a reminder. */
  reminder: boolean;
  /** How many more times Edit, Write and Bash may be refused. */
  refusals_left: number;
}

/** `pending` is the entry in the hook state. Null if hooks will do nothing more. */
function pendingReading(
  pending: unknown,
  reading: readonly ReadingEntry[],
  enforce: 'off' | 'remind' | 'block',
): PendingReading | null {
  const known = parsePendingReads(pending);
  const files = unreadFiles(known, reading).map(({ path }) => path);
  if (known === null || files.length === 0 || enforce === 'off') return null;
  const left = enforce === 'block' ? Math.max(0, MAX_REFUSALS - known.refusals) : 0;
  if (known.reminded && left === 0) return null;
  return { files, reminder: !known.reminded, refusals_left: left };
}

/** The required files that the holder of the run has not opened since a restore, and what hooks will do about it. */
export function pendingReads(
  { store, settings, root, launchFolder }: OperationContext,
  { state }: StoredRun,
): PendingReading | null {
  const receipt = store.hookState().receipts[holderOf(state) ?? ''];
  return receipt === undefined
    ? null
    : pendingReading(
        receipt,
        readingList(state, projectFiles(root, launchFolder)),
        settings.reading.enforce,
      );
}
