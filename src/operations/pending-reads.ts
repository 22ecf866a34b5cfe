import { pendingReading, type PendingReading } from '../reading/pending-reading.ts';
import { projectFiles } from '../reading/project-files.ts';
import { readingList } from '../reading/reading-list.ts';
import { holderOf } from '../sessions/holder.ts';
import type { StoredRun } from '../state/types.ts';
import type { OperationContext } from './open-project.ts';

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
