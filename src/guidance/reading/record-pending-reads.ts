import {
  readingList,
  type ProjectFiles,
  projectFiles,
  newPendingReads,
  setPendingReads,
} from './reading-list.ts';
import type { Transaction } from '../../state/store/store.ts';
import type { RunState, StoredRun } from '../../state/types.ts';

/** How much of its run a session has just got. */
export interface RestoredRun {
  session: string;
  kind: 'full' | 'short' | 'frame';
  run: StoredRun;
}

/** After a full restore, the session still has to open the required files that were not included. */
export function recordPendingReads(
  { root, launchFolder, now }: { root: string; launchFolder: string; now: Date },
  tx: Transaction,
  { session, kind, run }: RestoredRun,
): void {
  if (kind !== 'full') return;
  const owed = filesToRead(run.state, projectFiles(root, launchFolder));
  const pending = owed.length === 0 ? null : newPendingReads(owed, now.getTime());
  const { receipts } = tx.hookState;
  if (pending === null && receipts[session] === undefined) return;
  tx.saveHookState({
    ...tx.hookState,
    receipts: setPendingReads(receipts, session, pending, now.getTime()),
  });
}

/** Folders, binary files and very large files are left out, because hooks cannot tell whether they were read. */
function filesToRead(state: RunState, files: ProjectFiles): string[] {
  return readingList(state, files).flatMap((entry) => {
    if (entry.state !== 'unread') return [];
    const status = files.statusOf(entry.path.slice(1));
    return status.kind === 'present' && status.digest() !== undefined ? [entry.path] : [];
  });
}
