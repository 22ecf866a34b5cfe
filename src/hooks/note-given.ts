import { readingList, untoldChanges, type ProjectFiles } from '../guidance/reading-list.ts';
import { projectFiles } from '../io/file-facts.ts';
import { recordChangesTold } from '../sessions/loaded.ts';
import { newReceipt, withReceipt } from '../sessions/receipts.ts';
import type { Transaction } from '../state/store.ts';
import type { RunState } from '../state/types.ts';
import type { Given } from './reading-room.ts';

/** From now on the session owes what the guidance only named; the short form names what has changed. */
export function noteGiven(
  { root, now }: { root: string; now: Date },
  tx: Transaction,
  { session, kind, run }: Given,
): void {
  const files = projectFiles(root);
  if (kind === 'full') {
    const owed = owedBy(run.state, files);
    const receipt = owed.length === 0 ? null : newReceipt(owed, now.getTime());
    const { receipts } = tx.hookMemory;
    if (receipt === null && receipts[session] === undefined) return;
    tx.keepHookMemory({
      ...tx.hookMemory,
      receipts: withReceipt(receipts, session, receipt, now.getTime()),
    });
  } else if (kind === 'short') {
    const changed = untoldChanges(run.state, readingList(run.state, files));
    const paths = changed.map(({ path }) => path);
    if (paths.length > 0) tx.write(run, recordChangesTold(run.state, paths, now));
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
