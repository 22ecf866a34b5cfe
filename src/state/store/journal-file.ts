import { appendLine } from '../../io/write-in-place.ts';
import { readTextFile } from '../../io/read-file.ts';
import { moveIfThere, removeIfThere } from '../../io/remove.ts';
import {
  journalLine,
  MAX_JOURNAL_BYTES,
  newerHalf,
  readJournal,
  type JournalEvent,
  type NewEvent,
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
  return file.kind === 'text' ? readJournal(file.text) : [];
}

/** `path` is the journal's. Drops the older half once it exceeds its limit. */
export function appendEvent(
  root: string,
  path: string,
  event: NewEvent,
  now: Date,
  replace: ReplaceFile,
): void {
  const fullPath = `${root}/${path}`;
  if (appendLine(fullPath, journalLine(event, now)) <= MAX_JOURNAL_BYTES) return;
  const journal = readTextFile(fullPath, MAX_READ_BYTES);
  replace(path, journal.kind === 'text' ? newerHalf(journal.text) : '');
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
