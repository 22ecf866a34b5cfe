import { existsSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { appendLine, replaceFile } from '../../files/atomic-write.ts';
import { locked, translateFsErrors } from '../../files/fs-errors.ts';
import { LockLost, sleep, withLock, type Lock } from '../../files/lock.ts';
import {
  modifiedAt,
  readProjectFile,
  removeIfEmpty,
  removeIfThere,
  unlessRefused,
} from '../../files/read-file.ts';
import { HoldfastError } from '../../text/holdfast-error.ts';
import { sameJson } from '../../text/json.ts';
import { slugOf } from '../../text/slug.ts';
import { MAX_JOURNAL_BYTES, type NewEvent } from '../journal.ts';
import * as paths from '../paths.ts';
import { parseRun, withState } from '../run.ts';
import type { Run, RunState } from '../types.ts';
import { HookMemory } from './hook-memory.ts';
import type { HookState } from './hook-state.ts';
import { MAX_NOTICES } from './messages.ts';
import {
  readSourceRecords,
  type SourceRecords,
} from './source-records-file.ts';
import { takeRunId } from './free-names.ts';
import { describeSetAside, setFileAside } from './set-aside.ts';
import { journalLine, journalText, newerHalf } from './journal-files.ts';
import {
  listRuns,
  readArchivedRun,
  rereadRun,
  isAlreadyArchived,
  type Listing,
} from './run-files.ts';
import {
  requireKnownFormat,
  SCHEMA_VERSION,
  serializeState,
  serializeWithinLimits,
} from './state-format.ts';
import { makeFolder, MARKED_EVENTS, type WakeMarks } from './state-folder.ts';

/** The lock is lost where a machine slept for longer than a lock counts; three times in a row does not happen to anybody. */
const MAX_ATTEMPTS = 3;

/** The oldest go first; each declaration that was ever seen has one. */
const MAX_SOURCE_RECORDS = 3_000;

/** Editors truncate a file before they write it. */
const REREAD_AFTER_MS = 50;

/** Errors that say that nothing can be written, and not that something was wrong with what should be. */
const WRITE_REFUSALS = new Set([
  'not_writable',
  'blocked_path',
  'locked',
  'newer_format',
  'run_too_large',
]);

export interface StoreOptions {
  root: string;
  /** The user's folder, where what hooks remember of the project is. */
  config: string;
  now: () => Date;
  waitMs: number;
  /**
   * Called when nothing can be written (read-only, full, no permission, a busy lock, a run of a newer format or size).
   * Transactions then keep their changes in memory, as long as this store lasts. Without it, the refusal is thrown.
   */
  onWriteRefused?: (error: HoldfastError) => void;
  /** Sessions for which a write makes something due are woken. */
  wakeMarks?: WakeMarks;
}

/** Reads without a lock, writes only in transactions. */
export class Store {
  #preview: Transaction | null = null;

  readonly #memory: HookMemory;

  constructor(private readonly options: StoreOptions) {
    this.#memory = new HookMemory(options.config, options.root);
  }

  get root(): string {
    return this.options.root;
  }

  /** A folder that may not be read is not an empty one; only who works without writing goes on without its runs. */
  list(): Listing {
    const { root, onWriteRefused } = this.options;
    const isStrict = onWriteRefused === undefined;
    const listing = listRuns(root, isStrict);
    if (this.#preview === null) return listing;
    return { ...listing, runs: this.#preview.withWrites(listing.runs) };
  }

  /** Another store of the same runs, which keeps its changes in memory. */
  dryCopy(): Store {
    const copy = new Store(this.options);
    copy.#preview = copy.#newPreview();
    return copy;
  }

  sourceRecords(): SourceRecords {
    return this.#preview?.sourceRecords ?? readSourceRecords(this.options.root);
  }

  hookState(): HookState {
    return this.#memory.read();
  }

  /** Runs `work` under the lock. It is repeated if the lock was lost before anything was written. */
  transaction<T>(work: (tx: Transaction) => T): T {
    const { onWriteRefused } = this.options;
    if (this.#preview !== null) return work(this.#preview);
    try {
      return this.#lockedTransaction(work);
    } catch (error) {
      const isRefused =
        error instanceof HoldfastError && WRITE_REFUSALS.has(error.code);
      if (onWriteRefused === undefined || !isRefused) throw error;
      onWriteRefused(error);
    }
    // From now on, all that this store does is one transaction in memory.
    this.#preview = this.#newPreview();
    return work(this.#preview);
  }

  #newPreview(): Transaction {
    return new Transaction(this.options, this.#memory, null, { done: 0 });
  }

  #lockedTransaction<T>(work: (tx: Transaction) => T): T {
    const writes = { done: 0 };
    return translateFsErrors(
      paths.STATE_FOLDER,
      () => this.#attempt(work, writes),
      () => writes.done > 0,
    );
  }

  #attempt<T>(work: (tx: Transaction) => T, writes: { done: number }): T {
    const { root, waitMs } = this.options;
    for (let attempt = 1; ; attempt += 1) {
      // In every attempt, because the folder may have been deleted together with the lock.
      makeFolder(root, paths.STATE_FOLDER);
      try {
        return withLock(join(root, paths.LOCK_FILE), waitMs, (lock) => {
          const tx = new Transaction(this.options, this.#memory, lock, writes);
          try {
            return work(tx);
          } finally {
            tx.writeHookState();
          }
        });
      } catch (error) {
        if (!(error instanceof LockLost)) throw error;
        const isLast = attempt === MAX_ATTEMPTS;
        if (writes.done > 0 || isLast) throw locked(paths.LOCK_FILE, waitMs);
      }
    }
  }
}

/** Works under the store's lock. Runs and records are read when they are first asked for. */
export class Transaction {
  readonly root: string;
  readonly now: Date;
  /** By path; null for a run that was removed. */
  readonly #written = new Map<string, Run | null>();
  #listed: { runs: Run[]; aside: string[] } | null = null;
  #takenIds: Set<string> | null = null;
  #sourceRecords: SourceRecords | null = null;
  #hookState: HookState;
  #isHookStateChanged = false;

  constructor(
    private readonly options: StoreOptions,
    private readonly memory: HookMemory,
    /** Null if nothing can be written: the changes are then kept in memory only. */
    private readonly lock: Lock | null,
    /** Tells the caller whether the work can be repeated. */
    private readonly writes: { done: number },
  ) {
    this.root = options.root;
    this.now = options.now();
    this.#hookState = memory.read();
  }

  /** As they were before this transaction wrote any. */
  get runs(): readonly Run[] {
    const { runs } = this.#list();
    // Where nothing can be written, all the work of a process is one transaction.
    return this.lock === null ? this.withWrites(runs) : runs;
  }

  /** These runs, as listed before, with what this transaction has written since, but for those it has archived. */
  withWrites(listed: readonly Run[]): Run[] {
    const changed = [...this.#written.values()].filter((run) => run !== null);
    return [
      ...listed.filter(({ path }) => !this.#written.has(path)),
      ...changed.filter((run) => !paths.isArchived(run)),
    ];
  }

  /** A sentence for each corrupt state file that this transaction has moved aside. */
  get setAside(): readonly string[] {
    return this.#list().aside;
  }

  #list(): { runs: Run[]; aside: string[] } {
    this.#listed ??= this.#readList();
    return this.#listed;
  }

  #readList(): { runs: Run[]; aside: string[] } {
    let listing = listRuns(this.root);
    if (this.lock === null) return { runs: listing.runs, aside: [] };
    if (listing.unreadable.some(({ corrupt }) => corrupt)) {
      // Editors write in several steps, so a file that looks corrupt is read again a moment later.
      sleep(REREAD_AFTER_MS);
      listing = listRuns(this.root);
    }
    const runs = listing.runs.filter((run) => !this.#finishInterruptedEnd(run));
    const aside: string[] = [];
    for (const { path, why, corrupt } of listing.unreadable) {
      if (!corrupt) continue;
      // Where the file system refuses that, the other runs stay usable.
      const full = this.#full(path);
      const movedTo = unlessRefused(() => setFileAside(full, this.now));
      if (movedTo === null) continue;
      const place = movedTo.slice(this.root.length + 1);
      aside.push(describeSetAside(path, why, place));
    }
    if (aside.length > 0) {
      const notices = [...this.#hookState.notices, ...aside];
      this.saveHookState({
        ...this.#hookState,
        notices: notices.slice(-MAX_NOTICES),
      });
    }
    return { runs, aside };
  }

  #finishInterruptedEnd(run: Run): boolean {
    if (this.lock === null || !isAlreadyArchived(this.root, run)) return false;
    this.#removeFromStateFolder(run);
    return true;
  }

  /** The run as it is now; undefined if it no longer exists. */
  reread(run: Run): Run | undefined {
    const written = this.#written.get(run.path);
    if (written !== undefined) return written ?? undefined;
    const current = rereadRun(this.root, run);
    return current && this.#finishInterruptedEnd(current) ? undefined : current;
  }

  /** The run id contains the time of the start. */
  create(state: RunState, event: NewEvent, startedAt = this.now): Run {
    const slug = slugOf(state.workflow);
    if (this.#takenIds === null) {
      const known = this.withWrites(this.#list().runs);
      this.#takenIds = new Set(known.map((run) => run.runId));
    }
    const runId = takeRunId(this.root, slug, startedAt, this.#takenIds);
    const name = { slug, runId };
    this.makeFolder(paths.runFolder(name));
    const path = paths.stateFile(name);
    const run = parseRun({ ...name, path, state, modifiedAt: 0 });
    return this.writeState(run, path, event);
  }

  write(run: Run, state: RunState, event?: NewEvent): Run {
    return this.writeState(withState(run, state), run.path, event);
  }

  /** Removes the run from the state folder, and archives it unless `purge` is set. */
  end(
    run: Run,
    state: RunState,
    event: NewEvent,
    { purge }: { purge: boolean },
  ): Run {
    if (this.lock !== null) requireKnownFormat(run);
    // Removing a file does not check the lock. So the ended state is written first, which does: a writer that has
    // lost the lock fails here and cannot remove what another process has written since.
    const ended = purge
      ? this.#purge(run, state)
      : this.#archive(run, state, event);
    this.#removeFromStateFolder(run);
    return ended;
  }

  #purge(run: Run, state: RunState): Run {
    if (existsSync(this.#full(run.path)))
      this.replace(run.path, serializeState(state));
    if (this.lock !== null)
      removeIfThere(this.#full(paths.journalBeside(run.path)));
    return withState(run, state);
  }

  #archive(run: Run, state: RunState, event: NewEvent): Run {
    this.makeFolder(paths.ARCHIVE_FOLDER);
    this.#keepOlder(run.runId);
    const record = paths.archivedState(run.runId);
    return this.writeState(withState(run, state), record, event, run.path);
  }

  /** A state file that came back ends again: the first record stays, unless it is of an end that was interrupted. */
  #keepOlder(runId: string): void {
    if (this.lock === null) return;
    if (!existsSync(this.#full(paths.archivedJournal(runId)))) return;
    const older = paths.replacedRunId(runId, this.now);
    for (const nameOf of [paths.archivedState, paths.archivedJournal]) {
      const from = this.#full(nameOf(runId));
      if (existsSync(from)) renameSync(from, this.#full(nameOf(older)));
    }
  }

  /** Takes a run and its journal out of the archive; undefined if it is not there. */
  restoreArchived(
    runId: string,
    event: NewEvent,
    change: (archived: RunState) => RunState,
  ): Run | undefined {
    const archived = readArchivedRun(this.root, runId);
    if (archived === undefined) return undefined;
    if (this.lock !== null) requireKnownFormat(archived);
    this.makeFolder(paths.runFolder(archived));
    const journal = journalText(this.root, paths.archivedJournal(runId));
    if (journal !== null) this.replace(paths.journalFile(archived), journal);
    // The state file is written before the archive is removed, so that the run exists at every moment.
    const changed = withState(archived, change(archived.state));
    const run = this.writeState(changed, paths.stateFile(archived), event);
    this.removeArchived(runId);
    return run;
  }

  removeArchived(runId: string): void {
    if (this.lock === null) return;
    removeIfThere(this.#full(paths.archivedState(runId)));
    removeIfThere(this.#full(paths.archivedJournal(runId)));
  }

  get sourceRecords(): SourceRecords {
    this.#sourceRecords ??= readSourceRecords(this.root);
    return this.#sourceRecords;
  }

  saveSourceRecords(next: SourceRecords): void {
    if (sameJson(next, this.sourceRecords)) return;
    const latest = Object.entries(next).slice(-MAX_SOURCE_RECORDS);
    const file = { version: 1, sources: Object.fromEntries(latest) };
    this.replace(paths.SOURCE_RECORDS_FILE, JSON.stringify(file));
    this.#sourceRecords = next;
  }

  get hookState(): HookState {
    return this.#hookState;
  }

  /** Written once, at the end of the transaction. */
  saveHookState(next: HookState): void {
    if (this.lock !== null) this.#wakeSessions(next);
    this.#hookState = next;
    this.#isHookStateChanged = true;
  }

  /** Marks each session for which the next hook state has something that this one has not. */
  #wakeSessions(next: HookState): void {
    for (const [section, events] of DUE) {
      const before = this.#hookState[section];
      for (const [session, entry] of Object.entries(next[section])) {
        const isNew = before[session] !== entry;
        if (isNew) this.options.wakeMarks?.wake(session, events);
      }
    }
  }

  writeHookState(): void {
    if (!this.#isHookStateChanged || this.lock === null) return;
    try {
      this.memory.write(this.#hookState, this.lock, this.now);
    } catch (error) {
      if (!(error instanceof LockLost)) throw error;
    }
  }

  makeFolder(path: string): void {
    if (this.lock !== null) makeFolder(this.root, path);
  }

  replace(path: string, content: string): void {
    if (this.lock === null) return;
    const folder = this.#full(paths.STATE_FOLDER);
    replaceFile(this.lock, folder, this.#full(path), content);
    this.writes.done += 1;
  }

  /** Writes the state to `path`. A run that is archived is replaced at `former`, too. */
  writeState(run: Run, path: string, event?: NewEvent, former = path): Run {
    const { now, lock } = this;
    const { runId } = run;
    // A run that is archived leaves its plan behind.
    const before = former === path ? this.keepPlan(run.state) : run.state;
    const state = {
      ...before,
      schema_version: SCHEMA_VERSION,
      run_id: runId,
      revision: (run.state.revision ?? 0) + 1,
      updated_at: now.toISOString(),
    };
    if (lock !== null) {
      requireKnownFormat(run);
      // Before anything is written, so that a killed writer leaves nothing due without its mark.
      const holder = run.state.sessions?.current_session_id;
      if (typeof holder === 'string')
        this.options.wakeMarks?.wake(holder, ['PostToolUse']);
      const content = serializeWithinLimits(state);
      const writeContent = (): void => {
        this.replace(path, content);
        if (former !== path && existsSync(this.#full(former)))
          this.replace(former, content);
      };
      if (event === undefined) writeContent();
      else this.#record({ runId, path: former }, event, writeContent);
    }
    // As the next process reads it, so that both list runs in the same order.
    const written =
      lock === null ? now.getTime() : (modifiedAt(this.#full(path)) ?? 0);
    const saved = withState({ ...run, path, modifiedAt: written }, state);
    this.#written.set(path, saved);
    return saved;
  }

  /** The event comes last: no journal has what did not happen. Nothing is written if the journal may not be. */
  #record(
    run: { runId: string; path: string },
    event: NewEvent,
    write: () => void,
  ): void {
    const journal = paths.journalOf(run);
    const line = journalLine(event, this.now);
    const size = appendLine(this.#full(journal), line, write);
    if (size > MAX_JOURNAL_BYTES)
      this.replace(journal, newerHalf(journalText(this.root, journal) ?? ''));
  }

  /** Makes the plan of the run again where it is missing: after a sync or an import, for example. Else its text is kept. */
  keepPlan(state: RunState): RunState {
    const plan = paths.planFileOf(state);
    if (this.lock === null || plan === null || state.source === undefined)
      return state;
    const file = readProjectFile(this.root, plan.path, paths.MAX_PLAN_BYTES);
    if (file.kind === 'text')
      return { ...state, source: { ...state.source, text: file.text } };
    if (file.kind === 'absent') {
      this.makeFolder(dirname(plan.path));
      this.replace(plan.path, plan.text);
    }
    return state;
  }

  #removeFromStateFolder(run: Run): void {
    this.#written.set(run.path, null);
    if (this.lock === null) return;
    const plan = paths.planFileOf(run.state);
    if (plan !== null) removeIfThere(this.#full(plan.path));
    // Copied rather than moved, because the archive may be on another device. What is not a journal is left.
    const journal = paths.journalBeside(run.path);
    const events = journalText(this.root, journal);
    if (events !== null) {
      this.replace(paths.archivedJournal(run.runId), events);
      removeIfThere(this.#full(journal));
    }
    removeIfThere(this.#full(run.path));
    removeIfEmpty(this.#full(dirname(run.path)));
  }

  #full(path: string): string {
    return join(this.root, path);
  }
}

/** The parts of the hook state in which a new entry makes something due for its session. */
const DUE = [
  ['receipts', MARKED_EVENTS],
  ['messages', ['UserPromptSubmit']],
  ['compactions', ['UserPromptSubmit']],
] as const;
