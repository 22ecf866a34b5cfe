import { join } from 'node:path';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { translateFsErrors } from '../../io/fs-errors.ts';
import { LockLost, withLock } from '../../io/lock.ts';
import type { JournalEvent } from '../journal.ts';
import { LOCK_FILE, STATE_FOLDER } from '../paths.ts';
import type { StoredRun } from '../types.ts';
import type { HookState } from './hook-state.ts';
import { readJournalOf } from './journal-file.ts';
import { listArchive, listRuns, readArchivedRun, type Listing } from './list-runs.ts';
import { readHookState, readSourceRecords, type SourceRecords } from './read-records.ts';
import type { OwedFiles } from './owed-files.ts';
import { createPreview, type Preview } from './preview.ts';
import { isFolderReady, makeFolder } from './state-folder.ts';
import { beginTransaction, type Transaction } from './transaction.ts';
import { freeRunId } from './unique-names.ts';

export type { Transaction } from './transaction.ts';

const MAX_ATTEMPTS = 3;
const WRITE_REFUSALS: ReadonlySet<string> = new Set(['not_writable', 'blocked_path']);

export interface StoreOptions {
  root: string;
  now: () => Date;
  /** How long a writer waits for the lock. */
  waitMs: number;
  /**
   * Called when the disk refuses a write (read-only, full, no permission). Transactions then work on a preview: they
   * read the files, and their changes last as long as this store. Without it, the refusal is thrown.
   */
  onWriteRefused?: (error: HoldfastError) => void;
  /** What hooks have recorded about sessions; every write makes it obsolete. */
  owed?: OwedFiles;
}

/** The state files of a project: reads without a lock, writes only in transactions. */
export class Store {
  private preview: Preview | null = null;

  constructor(private readonly options: StoreOptions) {}

  /** A folder that may not be read is not an empty one; only who works without writing goes on without its runs. */
  list(): Listing {
    const { root, onWriteRefused } = this.options;
    const whenForbidden = onWriteRefused === undefined ? 'thrown' : 'reported';
    return this.preview?.list() ?? listRuns(root, whenForbidden);
  }

  archive(): Listing {
    return listArchive(this.options.root);
  }

  /** One run of the archive, without reading the others. */
  archivedRun(runId: string): StoredRun | undefined {
    return readArchivedRun(this.options.root, runId);
  }

  /** The id that a run started then would get, if those in `taken` were created before it. */
  freeRunId(slug: string, started: Date, taken: ReadonlySet<string>): string {
    return freeRunId(this.options.root, slug, started, taken);
  }

  sourceRecords(): SourceRecords {
    return readSourceRecords(this.options.root);
  }

  hookState(): HookState {
    return readHookState(this.options.root);
  }

  journal(run: StoredRun): (JournalEvent & { at: string })[] {
    return readJournalOf(this.options.root, run);
  }

  /** Runs `work` under the lock. It is repeated if the lock was lost before anything was written. */
  transaction<T>(work: (tx: Transaction) => T): T {
    const { root, now, onWriteRefused } = this.options;
    if (this.preview !== null) return work(this.preview.transaction(now()));
    if (onWriteRefused === undefined) return this.lockedTransaction(work);
    try {
      return this.lockedTransaction(work);
    } catch (error) {
      if (!(error instanceof HoldfastError) || !WRITE_REFUSALS.has(error.code)) throw error;
      onWriteRefused(error);
      this.preview = createPreview(root);
      return work(this.preview.transaction(now()));
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
          if (!isFolderReady(root, STATE_FOLDER)) makeFolder(root, STATE_FOLDER);
          try {
            return withLock(join(root, LOCK_FILE), waitMs, (lock) =>
              work(
                beginTransaction({
                  root,
                  now: this.options.now(),
                  lock,
                  writes,
                  owed: this.options.owed,
                }),
              ),
            );
          } catch (error) {
            if (!(error instanceof LockLost)) throw error;
            if (isPartial() || attempt === MAX_ATTEMPTS) {
              throw new HoldfastError({ code: 'locked', path: LOCK_FILE, seconds: waitMs / 1000 });
            }
          }
        }
      },
      isPartial,
    );
  }
}
