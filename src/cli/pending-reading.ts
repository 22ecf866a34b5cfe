import { readingList } from '../guidance/reading-list.ts';
import { projectFiles } from '../io/file-facts.ts';
import { holderOf } from '../sessions/history.ts';
import { pendingReading, type PendingReading } from '../sessions/pending-reading.ts';
import type { StoredRun } from '../state/types.ts';
import type { Cli } from './context.ts';

/** What hooks will still do about required files that the holder of the run has not read. */
export function pendingFor(
  { store, settings, root }: Cli,
  { state }: StoredRun,
): PendingReading | null {
  const receipt = store.hookMemory().receipts[holderOf(state) ?? ''];
  return receipt === undefined
    ? null
    : pendingReading(receipt, readingList(state, projectFiles(root)), settings.reading.enforce);
}
