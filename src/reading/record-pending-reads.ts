import { readingList, unreportedChanges, type ProjectFiles } from './reading-list.ts';
import { projectFiles } from './project-files.ts';
import { recordChangesReported } from '../sessions/context-record.ts';
import { newPendingReads, setPendingReads } from './pending-reads.ts';
import type { Transaction } from '../state/store/store.ts';
import type { RunState, StoredRun } from '../state/types.ts';

/** What a session that holds a run was just given of it. */
export interface RestoredRun {
  session: string;
  kind: 'full' | 'short' | 'frame';
  run: StoredRun;
}

/** From now on the session owes what the guidance only named; the short form names what has changed. */
export function recordPendingReads(
  { root, now }: { root: string; now: Date },
  tx: Transaction,
  { session, kind, run }: RestoredRun,
): void {
  const files = projectFiles(root);
  if (kind === 'full') {
    const owed = owedBy(run.state, files);
    const receipt = owed.length === 0 ? null : newPendingReads(owed, now.getTime());
    const { receipts } = tx.hookMemory;
    if (receipt === null && receipts[session] === undefined) return;
    tx.keepHookMemory({
      ...tx.hookMemory,
      receipts: setPendingReads(receipts, session, receipt, now.getTime()),
    });
  } else if (kind === 'short') {
    const changed = unreportedChanges(run.state, readingList(run.state, files));
    const paths = changed.map(({ path }) => path);
    if (paths.length > 0) tx.write(run, recordChangesReported(run.state, paths, now));
  }
}

/** A folder, a picture or a file too large to be looked at could be read without anyone knowing. */
function owedBy(state: RunState, files: ProjectFiles): string[] {
  return readingList(state, files).flatMap((entry) => {
    if (entry.state !== 'unread') return [];
    const fact = files.factOf(entry.path.slice(1));
    return fact.kind === 'present' && fact.digest() !== undefined ? [entry.path] : [];
  });
}
