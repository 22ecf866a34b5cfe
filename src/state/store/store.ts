import { join } from 'node:path';
import { HoldfastError } from '../../text/holdfast-error.ts';
import { locked, translateFsErrors } from '../../files/fs-errors.ts';
import { LockLost, withLock } from '../../files/lock.ts';
import { LOCK_FILE, STATE_FOLDER } from '../paths.ts';
import {
  type HookState,
  readHookState,
  readSourceRecords,
  type SourceRecords,
} from './hook-state.ts';
import { listRuns, type Listing } from './list-runs.ts';
import { makeFolder, type WakeMarks } from './state-folder.ts';
import { beginTransaction, type Transaction } from './transaction.ts';

export type { Transaction } from './transaction.ts';

const MAX_ATTEMPTS = 3;
const WRITE_REFUSALS: ReadonlySet<string> = new Set(['not_writable', 'blocked_path']);

export interface StoreOptions {
  root: string;
  now: () => Date;
  /** How long a writer waits for the lock. */
  waitMs: number;
  /**
   * Called when the disk refuses a write (read-only, full, no permission). Transactions then keep their changes
   * in memory, as long as this store lasts. Without it, the refusal is thrown.
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
