import { dirname, join } from 'node:path';
import { replaceFile, appendLineAround } from '../../files/atomic-write.ts';
import { LockLost, type Lock } from '../../files/lock.ts';
import {
  removeIfEmpty,
  removeIfThere,
  modifiedAt,
  readTextFile,
  moveIfThere,
} from '../../files/read-file.ts';
import {
  journalLine,
  type NewEvent,
  MAX_JOURNAL_BYTES,
  newerHalf,
  readJournal,
  withoutUndone,
  type JournalEvent,
} from '../journal.ts';
import * as paths from '../paths.ts';
import type { RunState, StoredRun } from '../types.ts';
import { type HookState, readHookState } from './hook-state.ts';
import { HoldfastError } from '../../text/holdfast-error.ts';
import { isWithinLimits } from '../../text/json.ts';
import { archivedState } from '../paths.ts';
import { MAX_STATE_BYTES, rereadRun } from './list-runs.ts';
import { makeFolder, MARKED_EVENTS, type MarkedEvent, type WakeMarks } from './state-folder.ts';

export interface WriterOptions {
  root: string;
  now: Date;
  /** Null if nothing can be written: the changes are then kept in memory only. */
  lock: Lock | null;
  /** Counts the files written, so that the caller knows whether the work can be repeated. */
  writes: { done: number };
  wakeMarks?: WakeMarks | undefined;
}

/** Writes the files of one transaction and knows what it has written. */
export class StateWriter {
  /** By path; null for a run that was removed. */
  readonly written = new Map<string, StoredRun | null>();
  #hookState: HookState;

  constructor(readonly options: WriterOptions) {
    this.#hookState = readHookState(options.root);
  }

  get hookState(): HookState {
    return this.#hookState;
  }

  makeFolder(path: string): void {
    const { root, lock } = this.options;
    if (lock !== null) makeFolder(root, path);
  }

  replace(path: string, content: string): void {
    const { lock, writes } = this.options;
    if (lock === null) return;
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
    const { root, now, lock } = this.options;
    const next = nextRevision(state, name.runId, now);
    const kept = (time: number): StoredRun => {
      const run = { ...name, path, state: next, modifiedAt: time };
      this.written.set(path, run);
      return run;
    };
    if (lock === null) return kept(now.getTime());
    requireKnownFormat({ runId: name.runId, state });
    // Before anything is written, so that a killed writer leaves nothing due without its mark.
    const holder = state.sessions?.current_session_id;
    if (typeof holder === 'string') this.#wake(holder, ['PostToolUse']);
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
    return kept(modifiedAt(this.#full(path)) ?? 0);
  }

  removeFromStateFolder(run: StoredRun): void {
    this.written.set(run.path, null);
    if (this.options.lock === null) return;
    archiveJournal(this.options.root, run, (...file) => this.replace(...file));
    removeIfThere(this.#full(run.path));
    removeIfEmpty(this.#full(dirname(run.path)));
  }

  saveHookState(next: HookState): void {
    const { lock } = this.options;
    if (lock === null) {
      this.#hookState = next;
      return;
    }
    for (const [session, events] of becomeDue(this.#hookState, next)) this.#wake(session, events);
    // Replaced atomically, because hooks read this file without the lock and would take a partial one for empty.
    const target = this.#full(paths.HOOK_MEMORY_FILE);
    const content = JSON.stringify(next);
    try {
      replaceFile(lock, this.#full(paths.STATE_FOLDER), target, content, { isDurable: false });
      this.#hookState = next;
    } catch (error) {
      // A writer that has lost the lock does not overwrite what other hooks have recorded since.
      if (!(error instanceof LockLost)) throw error;
    }
  }

  #wake(session: string, events: readonly MarkedEvent[]): void {
    this.options.wakeMarks?.wake(session, events);
  }

  #full(path: string): string {
    return join(this.options.root, path);
  }
}

/** The sessions for which another hook state makes something due. */
function becomeDue(before: HookState, next: HookState): [string, readonly MarkedEvent[]][] {
  const changed = (of: (state: HookState) => Readonly<Record<string, unknown>>): string[] =>
    Object.keys(of(next)).filter((session) => of(before)[session] !== of(next)[session]);
  return [
    ...changed((state) => state.receipts).map((session): [string, readonly MarkedEvent[]] => [
      session,
      MARKED_EVENTS,
    ]),
    ...[...changed((state) => state.messages), ...changed((state) => state.compactions)].map(
      (session): [string, readonly MarkedEvent[]] => [session, ['UserPromptSubmit']],
    ),
  ];
}

/** Whether a newer version of holdfast wrote this state, which this one would cut down to what it knows. */
export function isNewerFormat(state: { schema_version?: unknown }): boolean {
  return typeof state.schema_version === 'number' && state.schema_version > 1;
}

export function requireKnownFormat({ runId, state }: Pick<StoredRun, 'runId' | 'state'>): void {
  if (isNewerFormat(state))
    throw new HoldfastError(
      'newer_format',
      `a newer version of holdfast wrote ${runId}, so this one only reads it`,
      { hint: 'update holdfast here, then try again; nothing was changed' },
    );
}

export function serializeState(state: RunState): string {
  return `${JSON.stringify(state, null, 2)}\n`;
}

/** Rejects a state that would be too large to read again. */
function serializeWithinLimits(state: RunState, runId: string): string {
  const content = serializeState(state);
  const bytes = Buffer.byteLength(content);
  if (bytes <= MAX_STATE_BYTES && isWithinLimits(content)) return content;
  throw new HoldfastError(
    'run_too_large',
    bytes > MAX_STATE_BYTES
      ? `${runId} would exceed the ${MAX_STATE_BYTES / 1_000_000} MB limit for state files`
      : `${runId} would have too many values, or too deeply nested ones, to be read again`,
    {
      hint: 'nothing was changed; move long texts into files and name those, or set fewer tasks at once',
    },
  );
}

function nextRevision(state: RunState, runId: string, now: Date): RunState {
  return {
    ...state,
    schema_version: 1,
    run_id: runId,
    revision: (state.revision ?? 0) + 1,
    updated_at: now.toISOString(),
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

const MAX_READ_BYTES = 10_000_000;

/** Replaces a file of the project under the lock; `path` is relative to the project root. */
export type ReplaceFile = (path: string, content: string) => void;

export function readJournalOf(root: string, run: StoredRun): (JournalEvent & { at: string })[] {
  const isArchived = run.path.startsWith(paths.ARCHIVE_FOLDER);
  const path = isArchived ? paths.archivedJournal(run.runId) : paths.journalBeside(run.path);
  const file = readTextFile(`${root}/${path}`, MAX_READ_BYTES);
  return file.kind === 'text' ? readJournal(withoutUndone(file.text, run.state.updated_at)) : [];
}

/**
 * `path` is the journal's. Drops the older half once it exceeds its limit. `work` writes the state file to which the event
 * belongs; `updatedAt` is the time in the one that is there before.
 */
function recordEvent(
  root: string,
  path: string,
  event: string,
  updatedAt: string | undefined,
  replace: ReplaceFile,
  work: () => void,
): void {
  const fullPath = `${root}/${path}`;
  const read = (): string => {
    const journal = readTextFile(fullPath, MAX_READ_BYTES);
    return journal.kind === 'text' ? journal.text : '';
  };
  const halfEnd = (): string => {
    const text = read();
    return withoutUndone(text, updatedAt) === text ? '\n' : ' not done\n';
  };
  if (appendLineAround(fullPath, event, work, halfEnd) > MAX_JOURNAL_BYTES)
    replace(path, newerHalf(read()));
}

function archiveJournal(root: string, run: StoredRun, replace: ReplaceFile): void {
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
