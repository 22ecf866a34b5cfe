import { slugOf } from '../../util/slug.ts';
import * as paths from '../paths.ts';
import type { RunState, StoredRun } from '../types.ts';
import type { HookState } from './hook-state.ts';
import { listRuns, type Listing } from './list-runs.ts';
import { rereadRun } from './read-run.ts';
import { readHookState, readSourceRecords, type SourceRecords } from './read-records.ts';
import { nextRevision } from './state-writer.ts';
import { overlaid, type Transaction } from './transaction.ts';
import { freeRunId } from './unique-names.ts';

/** What the state files would contain if they could be written. Lasts as long as this process. */
export interface Preview {
  list: () => Listing;
  transaction: (now: Date) => Transaction;
}

/** Reads from disk and keeps all changes in memory, for a disk that is read-only or full. */
export function createPreview(root: string): Preview {
  /** The changed runs by path; null if the run has ended. */
  const changed = new Map<string, StoredRun | null>();
  let hookState: HookState | null = null;
  let sourceRecords: SourceRecords | null = null;

  const list = (): Listing => {
    const { runs, unreadable } = listRuns(root);
    const unchanged = runs.filter(({ path }) => !changed.has(path));
    return {
      runs: [...unchanged, ...[...changed.values()].filter((run) => run !== null)],
      unreadable,
    };
  };
  const keep = (name: paths.RunName, path: string, state: RunState, now: Date): StoredRun => {
    const written = nextRevision(state, name.runId, now);
    const run = { ...name, path, state: written, modifiedAt: now.getTime() };
    changed.set(path, run);
    return run;
  };
  const currentHookState = (): HookState => (hookState ??= readHookState(root));
  const currentSourceRecords = (): SourceRecords => (sourceRecords ??= readSourceRecords(root));

  const transaction = (now: Date): Transaction => ({
    get runs() {
      return list().runs;
    },
    get sourceRecords() {
      return currentSourceRecords();
    },
    get hookState() {
      return currentHookState();
    },
    setAside: [],
    withWrites: (runs) => overlaid(runs, changed),
    reread: (run) => {
      const known = changed.get(run.path);
      return known === undefined ? rereadRun(root, run) : (known ?? undefined);
    },
    create: (state, _event, startedAt = now) => {
      const name = freeName(root, slugOf(state.workflow), startedAt, changed);
      return keep(name, paths.stateFile(name), state, now);
    },
    write: (run, state) => keep(run, run.path, state, now),
    end: (run, state) => {
      changed.set(run.path, null);
      return { ...run, state: nextRevision(state, run.runId, now) };
    },
    // The archive stays as it is; without writing, the run cannot come back.
    restoreArchived: () => undefined,
    saveSourceRecords: (records) => {
      sourceRecords = records;
    },
    saveHookState: (memory) => {
      hookState = memory;
    },
    // Without a marker every event starts Node, which is right where nothing can be recorded.
    saveOwed: () => undefined,
    writer: null,
  });
  return { list, transaction };
}

function freeName(
  root: string,
  slug: string,
  now: Date,
  changed: ReadonlyMap<string, unknown>,
): paths.RunName {
  for (let time = now.getTime(); ; time += 1000) {
    const name = { slug, runId: freeRunId(root, slug, new Date(time)) };
    if (!changed.has(paths.stateFile(name))) return name;
  }
}
