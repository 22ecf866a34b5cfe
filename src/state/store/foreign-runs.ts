import { join } from 'node:path';
import { readTextFile, removeIfThere } from '../../files/read-file.ts';
import { parseJsonObject } from '../../text/json.ts';
import type { NewEvent } from '../journal.ts';
import { parseRun } from '../run.ts';
import type { JournalEvent, Run, RunState } from '../types.ts';
import * as paths from '../paths.ts';
import type { Transaction } from './store.ts';
import { freeReplacedId } from './free-names.ts';

// Apart from the transaction, because no hook stores runs of other machines.

const MAX_COPIED_BYTES = 10_000_000;

/** Stores a run that was started elsewhere, with the name and the journal it has there. */
export function adoptRun(
  tx: Transaction,
  name: paths.RunName,
  state: RunState,
  journal: readonly JournalEvent[],
  event?: NewEvent,
): Run {
  tx.makeFolder(paths.runFolder(name));
  // The journal comes first: without a state file it is no run, and a run never lacks its history.
  tx.replace(paths.journalFile(name), journalText(journal));
  const path = paths.stateFile(name);
  const adopted = parseRun({ ...name, path, state, modifiedAt: 0 });
  const run = tx.writeState(adopted, path, event);
  // What the run continues: it must not be listed a second time.
  tx.removeArchived(name.runId);
  return run;
}

/** Replaces the journal of a stored or archived run by one that has the events of other machines, too. */
export function replaceJournal(
  tx: Transaction,
  run: Run,
  journal: readonly JournalEvent[],
): void {
  tx.replace(paths.journalOf(run), journalText(journal));
}

/** Archives the run as it is, under an id of its own, before `adoptRun` replaces it. Returns that id. */
export function archiveReplaced(tx: Transaction, run: Run): string {
  tx.makeFolder(paths.ARCHIVE_FOLDER);
  const id = freeReplacedId(tx.root, run.runId, tx.now);
  for (const [from, to] of [
    [run.path, paths.archivedState(id)],
    [paths.journalOf(run), paths.archivedJournal(id)],
  ] as const) {
    const file = readTextFile(join(tx.root, from), MAX_COPIED_BYTES, 'refused');
    if (file.kind === 'text') tx.replace(to, file.text);
    if (paths.isArchived(run)) removeIfThere(join(tx.root, from));
  }
  return id;
}

const journalText = (journal: readonly JournalEvent[]): string =>
  journal.map((event) => `${JSON.stringify(event)}\n`).join('');

/**
 * When each run was purged whose end `sync` has not sent yet, by run id. A run that was purged and one whose file was
 * deleted by hand leave the same behind, and `sync` tells other machines only of the first that it has ended.
 */
export function purgedRuns(root: string): ReadonlyMap<string, string> {
  const file = readTextFile(join(root, paths.PURGED_FILE), MAX_COPIED_BYTES);
  const noted = Object.entries(
    parseJsonObject(file.kind === 'text' ? file.text : ''),
  );
  return new Map(
    noted.filter(
      (entry): entry is [string, string] =>
        !Number.isNaN(Date.parse(String(entry[1]))),
    ),
  );
}

export function notePurged(tx: Transaction, runId: string): void {
  savePurged(tx, [...purgedRuns(tx.root), [runId, tx.now.toISOString()]]);
}

export function forgetPurged(tx: Transaction, runIds: Iterable<string>): void {
  const sent = new Set(runIds);
  savePurged(
    tx,
    [...purgedRuns(tx.root)].filter(([runId]) => !sent.has(runId)),
  );
}

function savePurged(tx: Transaction, purged: [string, string][]): void {
  tx.replace(
    paths.PURGED_FILE,
    `${JSON.stringify(Object.fromEntries(purged))}\n`,
  );
}
