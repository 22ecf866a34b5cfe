import type { ReadingEntry } from './reading-list.ts';
import { MAX_REFUSALS, parsePendingReads, unreadFiles } from './pending-reads.ts';

/** What hooks will still do about files that a session has not read since its run was restored. */
export interface PendingReading {
  files: string[];
  /** Whether the next prompt brings a note about them. */
  reminder: boolean;
  /** How often Edit, Write and Bash may still be refused. */
  refusals_left: number;
}

/** `receipt` as the memory of the hooks has it. Null where nothing is to come. */
export function pendingReading(
  receipt: unknown,
  reading: readonly ReadingEntry[],
  enforce: 'off' | 'remind' | 'block',
): PendingReading | null {
  const known = parsePendingReads(receipt);
  const files = unreadFiles(known, reading).map(({ path }) => path);
  if (known === null || files.length === 0 || enforce === 'off') return null;
  const left = enforce === 'block' ? Math.max(0, MAX_REFUSALS - known.refusals) : 0;
  if (known.reminded && left === 0) return null;
  return { files, reminder: !known.reminded, refusals_left: left };
}
