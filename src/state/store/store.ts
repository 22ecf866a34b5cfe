import { memoryFrom, type SourceMemory } from './source-memory-file.ts';
import { dirname, join } from 'node:path';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { appendLine } from '../../io/append-line.ts';
import { replaceFile } from '../../io/atomic-write.ts';
import { LockLost, withLock, type Lock } from '../../io/lock.ts';
import { sleep } from '../../io/sleep.ts';
import { readTextFile } from '../../io/read-file.ts';
import { translateFsErrors } from '../../io/fs-errors.ts';
import { moveIfThere, removeIfEmpty, removeIfThere } from '../../io/remove.ts';
import { parseHookState, type HookState } from './hook-memory.ts';
import { makeFolder } from './state-folder.ts';
import { freeRunId, quarantine } from './unique-names.ts';
import {
  journalLine,
  MAX_JOURNAL_BYTES,
  newerHalf,
  readJournal,
  type JournalEvent,
} from '../journal.ts';
import { sameJson } from '../../util/json.ts';
import {
  listArchive,
  listRuns,
  MAX_STATE_BYTES,
  nextIndex,
  rereadRun,
  type Listing,
  type Unreadable,
} from './list-runs.ts';
import { isWithinLimits } from '../../util/json-limits.ts';
import * as places from '../paths.ts';
import { slugOf } from '../../util/slug.ts';
import type { RunState, StoredRun } from '../types.ts';

const MAX_JOURNAL_READ = 10_000_000;
const MAX_MEMORY_BYTES = 8_000_000;
const TRIES = 3;
const HALF_WRITTEN = 50;

export interface StoreOptions {
  root: string;
  now: () => Date;
  /** How long a writer waits for the others. */
  waitMs: number;
}

/** What a transaction may do; everything it sees is read under the lock, when it is first asked for. */
export interface Transaction {
  /** One run as it is now; undefined where it is gone. */
  reread: (run: StoredRun) => StoredRun | undefined;
  readonly runs: readonly StoredRun[];
  readonly memory: SourceMemory;
  readonly setAside: readonly Unreadable[];
  create: (state: RunState, event: JournalEvent) => StoredRun;
  write: (run: StoredRun, state: RunState, event?: JournalEvent) => StoredRun;
  /** A run that was begun elsewhere, under the name it has there, with its journal. */
  adopt: (
    name: places.RunName,
    state: RunState,
    journal: readonly JournalEvent[],
    event: JournalEvent,
  ) => StoredRun;
  /** Takes the run out of the state folder; its record goes to the archive unless `purge`. */
  end: (
    run: StoredRun,
    state: RunState,
    event: JournalEvent,
    options: { purge: boolean },
  ) => StoredRun;
  keepMemory: (memory: SourceMemory) => void;
  readonly hookMemory: HookState;
  keepHookMemory: (memory: HookState) => void;
}

export class Store {
  constructor(private readonly options: StoreOptions) {}

  list(): Listing {
    return listRuns(this.options.root);
  }

  archive(): Listing {
    return listArchive(this.options.root);
  }

  memory(): SourceMemory {
    return memoryFrom(this.readJson(places.MEMORY_FILE));
  }

  hookMemory(): HookState {
    return parseHookState(this.readJson(places.HOOK_MEMORY_FILE));
  }

  private readJson(path: string): unknown {
    const file = readTextFile(join(this.options.root, path), MAX_MEMORY_BYTES, 'refused');
    if (file.kind !== 'text' || !isWithinLimits(file.text)) return undefined;
    try {
      return JSON.parse(file.text);
    } catch (error) {
      // A damaged file only means that something is offered or printed once more.
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  journal(run: StoredRun): (JournalEvent & { at: string })[] {
    const archived = run.path.startsWith(places.ARCHIVE_FOLDER);
    const path = archived ? places.archivedJournal(run.runId) : places.journalFile(run);
    const file = readTextFile(join(this.options.root, path), MAX_JOURNAL_READ);
    return file.kind === 'text' ? readJournal(file.text) : [];
  }

  /** Work may be repeated from the start if the lock was lost before anything was written. */
  transaction<T>(work: (tx: Transaction) => T): T {
    const { root, waitMs } = this.options;
    return translateFsErrors(places.STATE_FOLDER, () => {
      for (let tries = TRIES; ; tries -= 1) {
        // Each time: it may have been deleted together with the lock.
        makeFolder(root, places.STATE_FOLDER);
        const writes = { done: 0 };
        try {
          return withLock(join(root, places.LOCK_FILE), waitMs, (lock) => {
            const result = work(this.begin(lock, writes));
            this.keepIndex(lock);
            return result;
          });
        } catch (error) {
          if (!(error instanceof LockLost)) throw error;
          if (writes.done > 0 || tries <= 1) {
            throw new HoldfastError({
              code: 'locked',
              path: places.LOCK_FILE,
              seconds: waitMs / 1000,
            });
          }
        }
      }
    });
  }

  /** People and agents do not write at one stroke: what looks broken is looked at again a moment later. */
  private listTwice(): Listing {
    const listing = this.list();
    if (listing.unreadable.every((file) => !file.corrupt)) return listing;
    sleep(HALF_WRITTEN);
    return this.list();
  }

  /** Its writer was killed between the archive and the removal. */
  private isEnded(run: StoredRun): boolean {
    if (run.state.status !== 'completed') return false;
    const archived = readTextFile(
      join(this.options.root, places.archivedState(run.runId)),
      MAX_STATE_BYTES,
      'refused',
    );
    return archived.kind === 'text' && archived.text === contentOf(run.state);
  }

  private keepIndex(lock: Lock): void {
    const { root } = this.options;
    const index = nextIndex(root);
    if (index === null) return;
    try {
      replaceFile(lock, join(root, places.STATE_FOLDER), join(root, places.INDEX_FILE), index);
    } catch {
      // Whatever the reason: the work is done, and without an index the files are read.
    }
  }

  private begin(lock: Lock, writes: { done: number }): Transaction {
    const { root } = this.options;
    const now = this.options.now();
    const full = (path: string): string => join(root, path);
    const listed = once(() => {
      const listing = this.listTwice();
      const runs = listing.runs.filter((run) => !this.isEnded(run) || !takeOut(run));
      const { unreadable } = listing;
      const aside = unreadable.filter((file) => file.corrupt && quarantine(root, file.path, now));
      return { runs, aside };
    });
    const memory = once(() => this.memory());
    let hookMemory = this.hookMemory();

    const put = (path: string, content: string): void => {
      replaceFile(lock, full(places.STATE_FOLDER), full(path), content);
      writes.done += 1;
    };
    const putState = (name: places.RunName, path: string, state: RunState): StoredRun => {
      const written = stamped(state, name.runId, now);
      const content = contentOf(written);
      // Nobody could read it again.
      const bytes = Buffer.byteLength(content);
      if (bytes > MAX_STATE_BYTES || !isWithinLimits(content))
        throw new HoldfastError({
          code: 'run_too_large',
          run: name.runId,
          bytes,
          maxBytes: MAX_STATE_BYTES,
        });
      put(path, content);
      return { ...name, path, state: written, modifiedAt: now.getTime() };
    };
    const log = (name: places.RunName, event: JournalEvent): void => {
      const path = places.journalFile(name);
      if (appendLine(full(path), journalLine(event, now)) <= MAX_JOURNAL_BYTES) return;
      const journal = readTextFile(full(path), MAX_JOURNAL_READ);
      put(path, journal.kind === 'text' ? newerHalf(journal.text) : '');
    };

    /** Returns true, for nothing of the run is left in the state folder then. */
    const takeOut = (run: StoredRun): boolean => {
      const path = full(places.journalFile(run));
      const journal = readTextFile(path, MAX_JOURNAL_READ);
      // Copied, not moved: the archive may be on another device.
      if (journal.kind === 'text') {
        put(places.archivedJournal(run.runId), journal.text);
        removeIfThere(path);
      } else {
        moveIfThere(path, full(places.archivedJournal(run.runId)));
      }
      removeIfThere(full(run.path));
      removeIfEmpty(full(dirname(run.path)));
      return true;
    };

    return {
      get runs() {
        return listed().runs;
      },
      get memory() {
        return memory();
      },
      get setAside() {
        return listed().aside;
      },
      reread: (run) => {
        const read = rereadRun(root, run);
        return read !== undefined && this.isEnded(read) && takeOut(read) ? undefined : read;
      },
      create: (state, event) => {
        const slug = slugOf(state.workflow);
        const name = { slug, runId: freeRunId(root, slug, now) };
        makeFolder(root, places.runFolder(name));
        const run = putState(name, places.stateFile(name), state);
        log(name, event);
        return run;
      },
      write: (run, state, event) => {
        const written = putState(run, run.path, state);
        if (event !== undefined) log(run, event);
        return written;
      },
      adopt: (name, state, journal, event) => {
        makeFolder(root, places.runFolder(name));
        const run = putState(name, places.stateFile(name), state);
        put(places.journalFile(name), journal.map((past) => `${JSON.stringify(past)}\n`).join(''));
        log(name, event);
        return run;
      },
      end: (run, state, event, { purge }) => {
        let ended: StoredRun = { ...run, state };
        if (!purge) {
          makeFolder(root, places.ARCHIVE_FOLDER);
          log(run, event);
          ended = putState(run, places.archivedState(run.runId), state);
        }
        // A removal asks for no lock: it takes away what says that the run has ended, never what somebody who
        // overtook this writer has written since.
        if (rereadRun(root, run) !== undefined) put(run.path, contentOf(ended.state));
        if (purge) removeIfThere(full(places.journalFile(run)));
        takeOut(run);
        return ended;
      },
      get hookMemory() {
        return hookMemory;
      },
      keepHookMemory: (next) => {
        // What others have noted since is worth more than what a writer that was overtaken has to add.
        if (!lock.isHeld()) return;
        // Hooks look at it without the lock: where half of it were read as nothing, one of two tools at once would pass.
        const target = full(places.HOOK_MEMORY_FILE);
        const content = JSON.stringify(next);
        replaceFile(lock, full(places.STATE_FOLDER), target, content, { isDurable: false });
        hookMemory = next;
      },
      keepMemory: (next) => {
        if (sameJson(next, memory())) return;
        put(places.MEMORY_FILE, `${JSON.stringify({ version: 1, sources: next }, null, 1)}\n`);
      },
    };
  }
}

function contentOf(state: RunState): string {
  return `${JSON.stringify(state, null, 2)}\n`;
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

function stamped(state: RunState, runId: string, now: Date): RunState {
  return {
    ...state,
    schema_version: 1,
    run_id: runId,
    revision: (state.revision ?? 0) + 1,
    updated_at: now.toISOString(),
  };
}
