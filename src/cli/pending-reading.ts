import { readingList } from '../reading/reading-list.ts';
import { projectFiles } from '../reading/project-files.ts';
import { holderOf } from '../sessions/holder.ts';
import { pendingReading, type PendingReading } from '../reading/pending-reading.ts';
import type { StoredRun } from '../state/types.ts';
import type { CommandContext } from './context.ts';

/** What hooks will still do about required files that the holder of the run has not read. */
export function pendingFor(
  { store, settings, root }: CommandContext,
  { state }: StoredRun,
): PendingReading | null {
  const receipt = store.hookMemory().receipts[holderOf(state) ?? ''];
  return receipt === undefined
    ? null
    : pendingReading(receipt, readingList(state, projectFiles(root)), settings.reading.enforce);
}
