import { pendingReading, type PendingReading } from '../reading/pending-reading.ts';
import { projectFiles } from '../reading/project-files.ts';
import { readingList, type ReadingEntry } from '../reading/reading-list.ts';
import { holderOf } from '../sessions/holder.ts';
import type { StoredRun } from '../state/types.ts';
import type { OperationContext } from './open-project.ts';
import { isHolder } from './target-run.ts';

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

/** The required files as the calling session has them. A person's terminal sees what the session that holds the run has. */
export function readingOf(context: OperationContext, run: StoredRun): ReadingEntry[] {
  const { context_metadata: _ofTheHolder, ...others } = run.state;
  const state = isOtherSession(context, run) ? others : run.state;
  return readingList(state, projectFiles(context.root, context.launchFolder));
}

/** Whether the caller is a session that does not hold the run: what its holder has read is not in its context. */
export function isOtherSession(context: OperationContext, run: StoredRun): boolean {
  return context.session !== null && !isHolder(context, run);
}
