import { dirname, join } from 'node:path';
import { replaceFile } from '../../io/atomic-write.ts';
import { LockLost, type Lock } from '../../io/lock.ts';
import { removeIfEmpty, removeIfThere } from '../../io/remove.ts';
import { journalLine, type NewEvent } from '../journal.ts';
import * as paths from '../paths.ts';
import type { RunState, StoredRun } from '../types.ts';
import { serializeHookState, type HookState } from './hook-state.ts';
import { archiveJournal, recordEvent, type ReplaceFile } from './journal-file.ts';
import type { OwedFiles } from './owed-files.ts';
import { readHookState } from './read-records.ts';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { modifiedAt, readTextFile } from '../../io/read-file.ts';
import { isWithinLimits } from '../../util/json.ts';
import { archivedState } from '../paths.ts';
import { MAX_STATE_BYTES, rereadRun } from './read-run.ts';
import { isoTime } from '../../util/iso-time.ts';

export interface WriterOptions {
  root: string;
  now: Date;
  lock: Lock;
  /** Counts the files written, so that the caller knows whether the work can be repeated. */
  writes: { done: number };
  owed?: OwedFiles | undefined;
}

/** Writes the files of one transaction and knows what it has written. */
export class StateWriter {
  /** By path; null for a run that was removed. */
  readonly written = new Map<string, StoredRun | null>();
  #hookState: HookState;
  #hasMarkers = true;

  constructor(readonly options: WriterOptions) {
    this.#hookState = readHookState(options.root);
  }

  get hookState(): HookState {
    return this.#hookState;
  }

  replace(path: string, content: string): void {
    const { lock, writes } = this.options;
    this.#forgetOwed();
    replaceFile(lock, this.#full(paths.STATE_FOLDER), this.#full(path), content);
    writes.done += 1;
  }

  /**
   * With an event, both are written or none: see `withoutUndone`. A run that is archived is replaced at its `former` path
   * too, if it is still there.
   */
  writeState(
    name: paths.RunName,
    path: string,
    state: RunState,
    event?: NewEvent,
    former = path,
  ): StoredRun {
    const { root, now } = this.options;
    const next = nextRevision(state, name.runId, now);
    const content = serializeWithinLimits(next, name.runId);
    const replace: ReplaceFile = (...file) => this.replace(...file);
    const write = (): void => {
      replace(path, content);
      if (former !== path && rereadRun(root, { ...name, path: former }) !== undefined)
        replace(former, content);
    };
    if (event === undefined) write();
    else {
      const journal = paths.journalBeside(former);
      recordEvent(root, journal, journalLine(event, now), state.updated_at, replace, write);
    }
    // As the next process reads it, so that both list runs in the same order.
    const run = { ...name, path, state: next, modifiedAt: modifiedAt(this.#full(path)) ?? 0 };
    this.written.set(path, run);
    return run;
  }

  removeFromStateFolder(run: StoredRun): void {
    this.#forgetOwed();
    this.written.set(run.path, null);
    archiveJournal(this.options.root, run, (...file) => this.replace(...file));
    removeIfThere(this.#full(run.path));
    removeIfEmpty(this.#full(dirname(run.path)));
  }

  saveHookState(next: HookState): void {
    const { lock } = this.options;
    this.#forgetOwed();
    // Replaced atomically, because hooks read this file without the lock and would take a partial one for empty.
    const target = this.#full(paths.HOOK_MEMORY_FILE);
    const content = serializeHookState(next);
    try {
      replaceFile(lock, this.#full(paths.STATE_FOLDER), target, content, { isDurable: false });
      this.#hookState = next;
    } catch (error) {
      // A writer that has lost the lock does not overwrite what other hooks have recorded since.
      if (!(error instanceof LockLost)) throw error;
    }
  }

  saveOwed(session: string, events: readonly string[]): void {
    const { lock, owed } = this.options;
    if (!lock.isHeld()) return;
    this.#hasMarkers = true;
    owed?.write(session, events);
  }

  /** Before anything is written, so that a killed writer leaves no marker that is wrong. */
  #forgetOwed(): void {
    const { owed, now } = this.options;
    if (this.#hasMarkers) owed?.removeAll(now.getTime());
    this.#hasMarkers = false;
  }

  #full(path: string): string {
    return join(this.options.root, path);
  }
}

export function serializeState(state: RunState): string {
  return `${JSON.stringify(state, null, 2)}\n`;
}

/** Rejects a state that would be too large to read again. */
function serializeWithinLimits(state: RunState, runId: string): string {
  const content = serializeState(state);
  // A character has three bytes at most.
  const isShort = content.length * 3 <= MAX_STATE_BYTES;
  if ((isShort || Buffer.byteLength(content) <= MAX_STATE_BYTES) && isWithinLimits(content))
    return content;
  throw new HoldfastError({
    code: 'run_too_large',
    run: runId,
    bytes: Buffer.byteLength(content),
    maxBytes: MAX_STATE_BYTES,
  });
}

export function nextRevision(state: RunState, runId: string, now: Date): RunState {
  return {
    ...state,
    // Kept as it is written: a newer version may have written the file.
    schema_version: state.schema_version ?? 1,
    run_id: runId,
    revision: (state.revision ?? 0) + 1,
    updated_at: isoTime(now),
  };
}

/** True if the run's writer was killed after it wrote the archive and before it removed the state file. */
export function isAlreadyArchived(root: string, run: StoredRun): boolean {
  if (run.state.status !== 'completed' && run.state.status !== 'cancelled') return false;
  const path = archivedState(run.runId);
  if (run.path === path) return false;
  const archived = readTextFile(`${root}/${path}`, MAX_STATE_BYTES, 'refused');
  return archived.kind === 'text' && archived.text === serializeState(run.state);
}
