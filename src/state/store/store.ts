import { join } from 'node:path';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { translateFsErrors } from '../../io/fs-errors.ts';
import { LockLost, withLock } from '../../io/lock.ts';
import type { JournalEvent } from '../journal.ts';
import { LOCK_FILE, STATE_FOLDER } from '../paths.ts';
import type { StoredRun } from '../types.ts';
import type { HookState } from './hook-memory.ts';
import { readJournalOf } from './journal-file.ts';
import { listArchive, listRuns, type Listing } from './list-runs.ts';
import { readHookState, readSourceRecords } from './read-records.ts';
import { listSetAside } from './set-aside.ts';
import type { SourceRecords } from './source-records-file.ts';
import { makeFolder } from './state-folder.ts';
import { beginTransaction, type Transaction } from './transaction.ts';

export type { Transaction } from './transaction.ts';

const MAX_ATTEMPTS = 3;

export interface StoreOptions {
  root: string;
  now: () => Date;
  /** How long a writer waits for the lock. */
  waitMs: number;
}

/** The state files of a project: reads without a lock, writes only in transactions. */
export class Store {
  constructor(private readonly options: StoreOptions) {}

  list(): Listing {
    return listRuns(this.options.root);
  }

  archive(): Listing {
    return listArchive(this.options.root);
  }

  /** Unreadable state files that an earlier writer has renamed. */
  setAside(): string[] {
    return listSetAside(this.options.root);
  }

  sourceRecords(): SourceRecords {
    return readSourceRecords(this.options.root);
  }

  hookMemory(): HookState {
    return readHookState(this.options.root);
  }

  journal(run: StoredRun): (JournalEvent & { at: string })[] {
    return readJournalOf(this.options.root, run);
  }

  /** Runs `work` under the lock. It is repeated if the lock was lost before anything was written. */
  transaction<T>(work: (tx: Transaction) => T): T {
    const { root, waitMs } = this.options;
    return translateFsErrors(STATE_FOLDER, () => {
      for (let attempt = 1; ; attempt += 1) {
        // In every attempt, because the folder may have been deleted together with the lock.
        makeFolder(root, STATE_FOLDER);
        const writes = { done: 0 };
        try {
          return withLock(join(root, LOCK_FILE), waitMs, (lock) =>
            work(beginTransaction({ root, now: this.options.now(), lock, writes })),
          );
        } catch (error) {
          if (!(error instanceof LockLost)) throw error;
          if (writes.done > 0 || attempt === MAX_ATTEMPTS) {
            throw new HoldfastError({ code: 'locked', path: LOCK_FILE, seconds: waitMs / 1000 });
          }
        }
      }
    });
  }
}
