import { HoldfastError } from '../../text/holdfast-error.ts';
import { locked, translateFsErrors } from '../../files/fs-errors.ts';
import { LockLost, withLock } from '../../files/lock.ts';
import { LOCK_FILE, STATE_FOLDER } from '../paths.ts';
import {
  type HookState,
  readHookState,
  readSourceRecords,
  type SourceRecords,
  addNotice,
  serializeSourceRecords,
} from './hook-state.ts';
import { listRuns, type Listing, readArchivedRun, rereadRun } from './list-runs.ts';
import { makeFolder, type WakeMarks } from './state-folder.ts';
import { join } from 'node:path';
import { removeIfThere } from '../../files/read-file.ts';
import { sleep } from '../../files/sleep.ts';
import { sameJson } from '../../text/json.ts';
import { slugOf } from '../../text/slug.ts';
import type { NewEvent } from '../journal.ts';
import * as paths from '../paths.ts';
import type { RunState, StoredRun } from '../types.ts';
import {
  copyJournalFromArchive,
  isAlreadyArchived,
  requireKnownFormat,
  serializeState,
  StateWriter,
  type WriterOptions,
} from './state-writer.ts';
import { FreeRunIds, quarantine } from './unique-names.ts';

const MAX_ATTEMPTS = 3;
const WRITE_REFUSALS: ReadonlySet<string> = new Set([
  'not_writable',
  'blocked_path',
  'locked',
  'newer_format',
  'run_too_large',
]);

export interface StoreOptions {
  root: string;
  now: () => Date;
  /** How long a writer waits for the lock. */
  waitMs: number;
  /**
   * Called when nothing can be written (read-only, full, no permission, a busy lock, a run of a newer format or size).
   * Transactions then keep their changes in memory, as long as this store lasts. Without it, the refusal is thrown.
   */
  onWriteRefused?: (error: HoldfastError) => void;
  /** Sessions for which a write makes something due are woken. */
  wakeMarks?: WakeMarks;
}

/** The state files of a project: reads without a lock, writes only in transactions. */
export class Store {
  private preview: Transaction | null = null;

  constructor(private readonly options: StoreOptions) {}

  get root(): string {
    return this.options.root;
  }

  /** A folder that may not be read is not an empty one; only who works without writing goes on without its runs. */
  list(): Listing {
    const { root, onWriteRefused } = this.options;
    const whenForbidden = onWriteRefused === undefined ? 'thrown' : 'reported';
    const listing = listRuns(root, whenForbidden);
    return this.preview === null
      ? listing
      : { ...listing, runs: this.preview.withWrites(listing.runs) };
  }

  sourceRecords(): SourceRecords {
    return readSourceRecords(this.options.root);
  }

  hookState(): HookState {
    return readHookState(this.options.root);
  }

  /** Runs `work` under the lock. It is repeated if the lock was lost before anything was written. */
  transaction<T>(work: (tx: Transaction) => T): T {
    const { root, now, onWriteRefused } = this.options;
    if (this.preview !== null) return work(this.preview);
    if (onWriteRefused === undefined) return this.lockedTransaction(work);
    try {
      return this.lockedTransaction(work);
    } catch (error) {
      if (!(error instanceof HoldfastError) || !WRITE_REFUSALS.has(error.code)) throw error;
      onWriteRefused(error);
      this.preview = beginTransaction({ root, now: now(), lock: null, writes: { done: 0 } });
      return work(this.preview);
    }
  }

  private lockedTransaction<T>(work: (tx: Transaction) => T): T {
    const { root, waitMs } = this.options;
    const writes = { done: 0 };
    const isPartial = (): boolean => writes.done > 0;
    return translateFsErrors(
      STATE_FOLDER,
      () => {
        for (let attempt = 1; ; attempt += 1) {
          // In every attempt, because the folder may have been deleted together with the lock.
          makeFolder(root, STATE_FOLDER);
          try {
            return withLock(join(root, LOCK_FILE), waitMs, (lock) =>
              work(
                beginTransaction({
                  root,
                  now: this.options.now(),
                  lock,
                  writes,
                  wakeMarks: this.options.wakeMarks,
                }),
              ),
            );
          } catch (error) {
            if (!(error instanceof LockLost)) throw error;
            if (isPartial() || attempt === MAX_ATTEMPTS) throw locked(LOCK_FILE, waitMs);
          }
        }
      },
      isPartial,
    );
  }
}

const REREAD_AFTER_MS = 50;

/** Reads and writes under the store's lock. Everything is read when it is first asked for, unless stated otherwise. */
export interface Transaction {
  /** The run as it is now; undefined if it no longer exists. */
  reread: (run: StoredRun) => StoredRun | undefined;
  readonly runs: readonly StoredRun[];
  /** These runs, as listed before, with what this transaction has written since. */
  withWrites: (listed: readonly StoredRun[]) => StoredRun[];
  readonly sourceRecords: SourceRecords;
  /** A sentence for each corrupt state file that this transaction has moved aside. */
  readonly setAside: readonly string[];
  /** The run id contains the time of the start, by default now. */
  create: (state: RunState, event: NewEvent, startedAt?: Date) => StoredRun;
  write: (run: StoredRun, state: RunState, event?: NewEvent) => StoredRun;
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
  /** For store/foreign-runs.ts. */
  readonly writer: StateWriter;
}

function beginTransaction(options: WriterOptions): Transaction {
  const { root, now, lock } = options;
  const full = (path: string): string => join(root, path);
  const writer = new StateWriter(options);
  const finishInterruptedEnd = (run: StoredRun): boolean => {
    if (!isAlreadyArchived(root, run)) return false;
    writer.removeFromStateFolder(run);
    return true;
  };
  const listed = once(() => {
    if (lock === null) return { runs: listRuns(root).runs, aside: [] };
    const listing = listSettledRuns(root);
    const runs = listing.runs.filter((run) => !finishInterruptedEnd(run));
    const aside = listing.unreadable.flatMap(({ path, why, corrupt }): string[] => {
      const movedTo = corrupt ? quarantine(root, path, now) : null;
      return movedTo === null
        ? []
        : [`${path} could not be read (${why}) and was moved aside as ${movedTo}`];
    });
    if (aside.length > 0) writer.saveHookState(aside.reduce(addNotice, writer.hookState));
    return { runs, aside };
  });
  let freeIds: FreeRunIds | null = null;
  let sourceRecords: SourceRecords | null = null;
  const currentRecords = (): SourceRecords => (sourceRecords ??= readSourceRecords(root));

  return {
    get runs() {
      const { runs } = listed();
      // Where nothing can be written, all the work of a process is one transaction.
      return lock === null ? overlaid(runs, writer.written) : runs;
    },
    get sourceRecords() {
      return currentRecords();
    },
    get setAside() {
      return listed().aside;
    },
    withWrites: (runs) => overlaid(runs, writer.written),
    reread: (run) => {
      const known = writer.written.get(run.path);
      if (known !== undefined) return known ?? undefined;
      const current = rereadRun(root, run);
      return current === undefined || (lock !== null && finishInterruptedEnd(current))
        ? undefined
        : current;
    },
    create: (state, event, startedAt = now) => {
      const slug = slugOf(state.workflow);
      freeIds ??= new FreeRunIds(
        root,
        [...listed().runs, ...writer.written.values()].flatMap((run) => run?.runId ?? []),
      );
      const name = { slug, runId: freeIds.take(slug, startedAt) };
      writer.makeFolder(paths.runFolder(name));
      return writer.writeState(name, paths.stateFile(name), state, event);
    },
    write: (run, state, event) => writer.writeState(run, run.path, state, event),
    end: (run, state, event, { purge }) => {
      if (lock !== null) requireKnownFormat(run);
      // Removing a file does not check the lock. So the ended state is written first, which does: a writer that has
      // lost the lock fails here and cannot remove what another process has written since.
      let ended: StoredRun = { ...run, state };
      if (purge) {
        if (rereadRun(root, run) !== undefined) writer.replace(run.path, serializeState(state));
        removeIfThere(full(paths.journalBeside(run.path)));
      } else {
        writer.makeFolder(paths.ARCHIVE_FOLDER);
        ended = writer.writeState(run, paths.archivedState(run.runId), state, event, run.path);
      }
      writer.removeFromStateFolder(run);
      return ended;
    },
    restoreArchived: (runId, event, change) => {
      const archived = lock === null ? undefined : readArchivedRun(root, runId);
      if (archived === undefined) return undefined;
      requireKnownFormat(archived);
      writer.makeFolder(paths.runFolder(archived));
      copyJournalFromArchive(root, archived, (...file) => writer.replace(...file));
      // The state file is written before the archive is removed, so that the run exists at every moment.
      const state = change(archived.state);
      const run = writer.writeState(archived, paths.stateFile(archived), state, event);
      removeIfThere(full(paths.archivedState(runId)));
      removeIfThere(full(paths.archivedJournal(runId)));
      return run;
    },
    saveSourceRecords: (next) => {
      if (sameJson(next, currentRecords())) return;
      writer.replace(paths.SOURCE_RECORDS_FILE, serializeSourceRecords(next));
      sourceRecords = next;
    },
    get hookState() {
      return writer.hookState;
    },
    saveHookState: (memory) => writer.saveHookState(memory),
    writer,
  };
}

/** Runs that were archived are not in the state folder any more. */
function overlaid(
  runs: readonly StoredRun[],
  written: ReadonlyMap<string, StoredRun | null>,
): StoredRun[] {
  const unchanged = runs.filter(({ path }) => !written.has(path));
  const changed = [...written.values()].filter((run) => run !== null);
  return [...unchanged, ...changed.filter(({ path }) => path.startsWith(`${paths.STATE_FOLDER}/`))];
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
