import { join } from 'node:path';
import { readTextFile, removeIfThere } from '../../files/read-file.ts';
import type { JournalEvent, NewEvent } from '../journal.ts';
import * as paths from '../paths.ts';
import type { RunState, StoredRun } from '../types.ts';
import { makeFolder } from './state-folder.ts';
import type { Transaction } from './store.ts';
import { freeReplacedId } from './unique-names.ts';

// Apart from the transaction, because no hook stores runs of other machines.

const MAX_COPIED_BYTES = 10_000_000;

/** Stores a run that was started elsewhere, with the name and the journal it has there. */
export function adoptRun(
  tx: Transaction,
  name: paths.RunName,
  state: RunState,
  journal: readonly JournalEvent[],
  event?: NewEvent,
): StoredRun {
  const { writer } = tx;
  const { root } = writer.options;
  makeFolder(root, paths.runFolder(name));
  // The journal comes first: without a state file it is no run, and a run never lacks its history.
  writer.replace(paths.journalFile(name), journalText(journal));
  const run = writer.writeState(name, paths.stateFile(name), state, event);
  // What the run continues: it must not be listed a second time.
  removeIfThere(join(root, paths.archivedState(name.runId)));
  removeIfThere(join(root, paths.archivedJournal(name.runId)));
  return run;
}

/** Replaces the journal of a stored or archived run by one that has the events of other machines, too. */
export function replaceJournal(
  tx: Transaction,
  run: StoredRun,
  journal: readonly JournalEvent[],
): void {
  tx.writer.replace(journalPath(run), journalText(journal));
}

/** Archives the run as it is, under an id of its own, before `adoptRun` replaces it. Returns that id. */
export function archiveReplaced(tx: Transaction, run: StoredRun): string {
  const { writer } = tx;
  const { root, now } = writer.options;
  const full = (path: string): string => join(root, path);
  makeFolder(root, paths.ARCHIVE_FOLDER);
  const id = freeReplacedId(root, run.runId, now);
  const journal = journalPath(run);
  copyText(full(run.path), (text) => writer.replace(paths.archivedState(id), text));
  copyText(full(journal), (text) => writer.replace(paths.archivedJournal(id), text));
  if (isInArchive(run)) {
    removeIfThere(full(journal));
    removeIfThere(full(run.path));
  }
  return id;
}

function isInArchive({ path, runId }: StoredRun): boolean {
  return path === paths.archivedState(runId);
}

function journalPath(run: StoredRun): string {
  return isInArchive(run) ? paths.archivedJournal(run.runId) : paths.journalBeside(run.path);
}

function journalText(journal: readonly JournalEvent[]): string {
  return journal.map((event) => `${JSON.stringify(event)}\n`).join('');
}

function copyText(from: string, write: (text: string) => void): void {
  const file = readTextFile(from, MAX_COPIED_BYTES);
  if (file.kind === 'text') write(file.text);
}
