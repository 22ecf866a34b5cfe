import { appendLineAround } from '../../files/atomic-write.ts';
import { readTextFile, moveIfThere, removeIfThere } from '../../files/read-file.ts';
import {
  MAX_JOURNAL_BYTES,
  newerHalf,
  readJournal,
  withoutUndone,
  type JournalEvent,
} from '../journal.ts';
import * as paths from '../paths.ts';
import type { StoredRun } from '../types.ts';

const MAX_READ_BYTES = 10_000_000;

/** Replaces a file of the project under the lock; `path` is relative to the project root. */
export type ReplaceFile = (path: string, content: string) => void;

export function readJournalOf(root: string, run: StoredRun): (JournalEvent & { at: string })[] {
  const isArchived = run.path.startsWith(paths.ARCHIVE_FOLDER);
  const path = isArchived ? paths.archivedJournal(run.runId) : paths.journalBeside(run.path);
  const file = readTextFile(`${root}/${path}`, MAX_READ_BYTES);
  return file.kind === 'text' ? readJournal(withoutUndone(file.text, run.state.updated_at)) : [];
}

/**
 * `path` is the journal's. Drops the older half once it exceeds its limit. `work` writes the state file to which the event
 * belongs; `updatedAt` is the time in the one that is there before.
 */
export function recordEvent(
  root: string,
  path: string,
  event: string,
  updatedAt: string | undefined,
  replace: ReplaceFile,
  work: () => void,
): void {
  const fullPath = `${root}/${path}`;
  const read = (): string => {
    const journal = readTextFile(fullPath, MAX_READ_BYTES);
    return journal.kind === 'text' ? journal.text : '';
  };
  const halfEnd = (): string => {
    const text = read();
    return withoutUndone(text, updatedAt) === text ? '\n' : ' not done\n';
  };
  if (appendLineAround(fullPath, event, work, halfEnd) > MAX_JOURNAL_BYTES)
    replace(path, newerHalf(read()));
}

export function archiveJournal(root: string, run: StoredRun, replace: ReplaceFile): void {
  const fullPath = `${root}/${paths.journalBeside(run.path)}`;
  const archivedPath = paths.archivedJournal(run.runId);
  const journal = readTextFile(fullPath, MAX_READ_BYTES);
  // Copied rather than moved, because the archive may be on another device.
  if (journal.kind === 'text') {
    replace(archivedPath, journal.text);
    removeIfThere(fullPath);
  } else {
    moveIfThere(fullPath, `${root}/${archivedPath}`);
  }
}

export function copyJournalFromArchive(
  root: string,
  run: paths.RunName,
  replace: ReplaceFile,
): void {
  const journal = readTextFile(`${root}/${paths.archivedJournal(run.runId)}`, MAX_READ_BYTES);
  if (journal.kind === 'text') replace(paths.journalFile(run), journal.text);
}
