import { describeSetAside } from '../../errors/state-files.ts';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../io/atomic-write.ts';
import type { Lock } from '../../io/lock.ts';
import { readTextFile } from '../../io/read-file.ts';
import { removeIfEmpty, removeIfThere } from '../../io/remove.ts';
import { sleep } from '../../io/sleep.ts';
import { sameJson } from '../../util/json.ts';
import { slugOf } from '../../util/slug.ts';
import type { JournalEvent, NewEvent } from '../journal.ts';
import * as paths from '../paths.ts';
import type { RunState, StoredRun } from '../types.ts';
import { addNotice, serializeHookState, type HookState } from './hook-state.ts';
import { appendEvent, archiveJournal, copyJournalFromArchive } from './journal-file.ts';
import {
  listRuns,
  readArchivedRun,
  rereadRun,
  type Listing,
  type Unreadable,
} from './list-runs.ts';
import type { OwedFiles } from './owed-files.ts';
import { readHookState, readSourceRecords } from './read-records.ts';
import { serializeSourceRecords, type SourceRecords } from './source-records-file.ts';
import { makeFolder } from './state-folder.ts';
import {
  isAlreadyArchived,
  nextRevision,
  serializeState,
  serializeWithinLimits,
} from './state-text.ts';
import { freeReplacedId, freeRunId, quarantine } from './unique-names.ts';

const REREAD_AFTER_MS = 50;
const MAX_COPIED_BYTES = 10_000_000;

/** Reads and writes under the store's lock. Everything is read when it is first asked for, unless stated otherwise. */
export interface Transaction {
  /** The run as it is now; undefined if it no longer exists. */
  reread: (run: StoredRun) => StoredRun | undefined;
  readonly runs: readonly StoredRun[];
  /** These runs, as listed before, with what this transaction has written since. */
  withWrites: (listed: readonly StoredRun[]) => StoredRun[];
  readonly sourceRecords: SourceRecords;
  /** Corrupt state files that this transaction has moved aside. */
  readonly setAside: readonly Unreadable[];
  /** The run id contains the time of the start, by default now. */
  create: (state: RunState, event: NewEvent, startedAt?: Date) => StoredRun;
  write: (run: StoredRun, state: RunState, event?: NewEvent) => StoredRun;
  /** Stores a run that was started elsewhere, with the name and the journal it has there. */
  adopt: (
    name: paths.RunName,
    state: RunState,
    journal: readonly JournalEvent[],
    event?: NewEvent,
  ) => StoredRun;
  /** Replaces the journal of a stored or archived run by one that has the events of other machines, too. */
  replaceJournal: (run: StoredRun, journal: readonly JournalEvent[]) => void;
  /** Archives the run as it is, under an id of its own, before `adopt` replaces it. Returns that id. */
  archiveReplaced: (run: StoredRun) => string;
  /** Removes the run from the state folder, and archives it unless `purge` is set. */
  end: (run: StoredRun, state: RunState, event: NewEvent, options: { purge: boolean }) => StoredRun;
  /** Takes a run and its journal out of the archive; undefined if it is not there. */
  restoreArchived: (
    runId: string,
    event: NewEvent,
    change: (archived: RunState) => RunState,
  ) => StoredRun | undefined;
  saveSourceRecords: (records: SourceRecords) => void;
  readonly hookState: HookState;
  saveHookState: (memory: HookState) => void;
  /** Every later write of any process removes it. */
  saveOwed: (session: string, marker: string) => void;
}

export interface TransactionOptions {
  root: string;
  now: Date;
  lock: Lock;
  /** Counts the files written, so that the caller knows whether the work can be repeated. */
  writes: { done: number };
  owed?: OwedFiles | undefined;
  /** Told every run that was written or ended, as it is then. */
  onChange: (run: StoredRun) => void;
}

export function beginTransaction(options: TransactionOptions): Transaction {
  const { root, now, lock, writes, owed, onChange } = options;
  const full = (path: string): string => join(root, path);
  const listed = once(() => {
    const listing = listSettledRuns(root);
    const runs = listing.runs.filter((run) => !finishInterruptedEnd(run));
    const aside = listing.unreadable.filter(
      (file) => file.corrupt && quarantine(root, file.path, now),
    );
    if (aside.length > 0) saveHookState(aside.reduce(withNotice, hookState));
    return { runs, aside };
  });
  const sourceRecords = once(() => readSourceRecords(root));
  let hookState = readHookState(root);
  // Before anything is written, so that a killed writer leaves no marker that is wrong.
  let hasMarkers = true;
  const forgetOwed = (): void => {
    if (hasMarkers) owed?.removeAll(now.getTime());
    hasMarkers = false;
  };
  const saveHookState = (next: HookState): void => {
    // A writer that has lost the lock must not overwrite what other hooks have recorded since.
    if (!lock.isHeld()) return;
    forgetOwed();
    // Replaced atomically, because hooks read this file without the lock and would take a partial one for empty.
    const target = full(paths.HOOK_MEMORY_FILE);
    const content = serializeHookState(next);
    replaceFile(lock, full(paths.STATE_FOLDER), target, content, { isDurable: false });
    hookState = next;
  };

  const replace = (path: string, content: string): void => {
    forgetOwed();
    replaceFile(lock, full(paths.STATE_FOLDER), full(path), content);
    writes.done += 1;
  };
  /** By path; null for a run that was removed. */
  const written = new Map<string, StoredRun | null>();
  const writeState = (name: paths.RunName, path: string, state: RunState): StoredRun => {
    const next = nextRevision(state, name.runId, now);
    replace(path, serializeWithinLimits(next, name.runId));
    const run = { ...name, path, state: next, modifiedAt: now.getTime() };
    written.set(path, run);
    onChange(run);
    return run;
  };
  const log = ({ path }: Pick<StoredRun, 'path'>, event: NewEvent): void => {
    appendEvent(root, paths.journalBeside(path), event, now, replace);
  };
  const removeFromStateFolder = (run: StoredRun): void => {
    forgetOwed();
    written.set(run.path, null);
    archiveJournal(root, run, replace);
    removeIfThere(full(run.path));
    removeIfEmpty(full(dirname(run.path)));
  };
  const finishInterruptedEnd = (run: StoredRun): boolean => {
    if (!isAlreadyArchived(root, run)) return false;
    removeFromStateFolder(run);
    return true;
  };

  return {
    get runs() {
      return listed().runs;
    },
    get sourceRecords() {
      return sourceRecords();
    },
    get setAside() {
      return listed().aside;
    },
    withWrites: (runs) => overlaid(runs, written),
    reread: (run) => {
      const known = written.get(run.path);
      if (known !== undefined) return known ?? undefined;
      const current = rereadRun(root, run);
      return current === undefined || finishInterruptedEnd(current) ? undefined : current;
    },
    create: (state, event, startedAt = now) => {
      const slug = slugOf(state.workflow);
      const name = { slug, runId: freeRunId(root, slug, startedAt) };
      makeFolder(root, paths.runFolder(name));
      const run = writeState(name, paths.stateFile(name), state);
      log(run, event);
      return run;
    },
    write: (run, state, event) => {
      const stored = writeState(run, run.path, state);
      if (event !== undefined) log(run, event);
      return stored;
    },
    adopt: (name, state, journal, event) => {
      makeFolder(root, paths.runFolder(name));
      const run = writeState(name, paths.stateFile(name), state);
      replace(paths.journalFile(name), journal.map((past) => `${JSON.stringify(past)}\n`).join(''));
      if (event !== undefined) log(run, event);
      return run;
    },
    replaceJournal: (run, journal) => {
      const isArchived = run.path === paths.archivedState(run.runId);
      const path = isArchived ? paths.archivedJournal(run.runId) : paths.journalBeside(run.path);
      replace(path, journal.map((event) => `${JSON.stringify(event)}\n`).join(''));
    },
    archiveReplaced: (run) => {
      makeFolder(root, paths.ARCHIVE_FOLDER);
      const id = freeReplacedId(root, run.runId, now);
      const isArchived = run.path === paths.archivedState(run.runId);
      const journal = isArchived ? paths.archivedJournal(run.runId) : paths.journalFile(run);
      copyText(full(run.path), (text) => replace(paths.archivedState(id), text));
      copyText(full(journal), (text) => replace(paths.archivedJournal(id), text));
      if (isArchived) {
        removeIfThere(full(journal));
        removeIfThere(full(run.path));
      }
      return id;
    },
    end: (run, state, event, { purge }) => {
      let ended: StoredRun = { ...run, state };
      if (!purge) {
        makeFolder(root, paths.ARCHIVE_FOLDER);
        log(run, event);
        ended = writeState(run, paths.archivedState(run.runId), state);
      }
      // Removing a file does not check the lock. So the ended state is written first, which does: a writer that has
      // lost the lock fails here and cannot remove what another process has written since.
      if (rereadRun(root, run) !== undefined) replace(run.path, serializeState(ended.state));
      if (purge) removeIfThere(full(paths.journalBeside(run.path)));
      removeFromStateFolder(run);
      if (purge) onChange(ended);
      return ended;
    },
    restoreArchived: (runId, event, change) => {
      const archived = readArchivedRun(root, runId);
      if (archived === undefined) return undefined;
      makeFolder(root, paths.runFolder(archived));
      copyJournalFromArchive(root, archived, replace);
      // The state file is written before the archive is removed, so that the run exists at every moment.
      const run = writeState(archived, paths.stateFile(archived), change(archived.state));
      removeIfThere(full(paths.archivedState(runId)));
      removeIfThere(full(paths.archivedJournal(runId)));
      log(run, event);
      return run;
    },
    saveSourceRecords: (next) => {
      if (!sameJson(next, sourceRecords()))
        replace(paths.SOURCE_RECORDS_FILE, serializeSourceRecords(next));
    },
    get hookState() {
      return hookState;
    },
    saveHookState,
    saveOwed: (session, marker) => {
      if (!lock.isHeld()) return;
      hasMarkers = true;
      owed?.write(session, marker);
    },
  };
}

/** Runs that were archived are not in the state folder any more. */
export function overlaid(
  runs: readonly StoredRun[],
  written: ReadonlyMap<string, StoredRun | null>,
): StoredRun[] {
  const unchanged = runs.filter(({ path }) => !written.has(path));
  const changed = [...written.values()].filter((run) => run !== null);
  return [...unchanged, ...changed.filter(({ path }) => path.startsWith(`${paths.STATE_FOLDER}/`))];
}

function withNotice(memory: HookState, file: Unreadable): HookState {
  return addNotice(memory, describeSetAside(file));
}

function copyText(from: string, write: (text: string) => void): void {
  const file = readTextFile(from, MAX_COPIED_BYTES);
  if (file.kind === 'text') write(file.text);
}

/** Editors write in several steps, so a file that looks corrupt is read again a moment later. */
function listSettledRuns(root: string): Listing {
  const listing = listRuns(root);
  if (listing.unreadable.every((file) => !file.corrupt)) return listing;
  sleep(REREAD_AFTER_MS);
  return listRuns(root);
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
