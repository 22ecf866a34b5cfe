import { describeSourceEnd } from '../errors/sources.ts';
import type { SetAsideFile } from '../errors/state-files.ts';
import type { NewEvent } from '../state/journal.ts';
import type { Unreadable } from '../state/store/read-run.ts';
import type { Store } from '../state/store/store.ts';
import type { Transaction } from '../state/store/transaction.ts';
import { withoutBusyHolder } from '../sessions/holder.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { planSync, returnedState } from './plan-sync.ts';
import {
  forgetFormerSections,
  forgetSource,
  recordAway,
  recordSources,
  sourcesToRefingerprint,
  withFingerprints,
  type MergedSource,
} from './source-records.ts';
import type { SourceUpdate, SyncChange, SyncInput } from './types.ts';

/**
 * Limits how long the lock is held, because other processes wait for it and a hook has only seconds. What is left is
 * done by the next sync.
 */
const MAX_CHANGES_PER_BATCH = 100;
const MAX_BATCHES = 2;

/** Writing the source records costs about as much as reading this many sources again. */
const MIN_FINGERPRINTS_TO_WRITE = 20;

export interface SyncOptions {
  /** Named in the journal as the author of the changes. */
  by: string;
  /** The state files that were unreadable when `input.runs` was listed. */
  unreadable: readonly Unreadable[];
  /** Called for each corrupt state file that was moved aside. */
  onSetAside?: (file: SetAsideFile) => void;
}

/**
 * Brings the runs up to what the sources declare. Takes the lock and writes only if something has to change; the plan
 * is then made again from what is read under the lock.
 */
export function syncRuns(
  store: Store,
  input: SyncInput,
  options: SyncOptions,
): readonly StoredRun[] {
  const hasCorruptFiles = options.unreadable.some((file) => file.corrupt);
  const outdated = sourcesToRefingerprint(input.sourceRecords, input.sources).length;
  const isUpToDate =
    !hasCorruptFiles && outdated < MIN_FINGERPRINTS_TO_WRITE && planSync(input).length === 0;
  if (isUpToDate) return input.runs;

  for (let batch = 1; ; batch += 1) {
    const result = store.transaction((tx) => applyBatch(tx, input, options));
    if (result.isComplete || batch === MAX_BATCHES) return result.runs;
  }
}

function applyBatch(
  tx: Transaction,
  input: SyncInput,
  { by, onSetAside }: SyncOptions,
): { runs: StoredRun[]; isComplete: boolean } {
  for (const file of tx.setAside) onSetAside?.(file);
  const current = new Map(tx.runs.map((run) => [run.runId, run]));
  let records = tx.sourceRecords;
  const merged: MergedSource[] = [];
  const record = ({ runId }: StoredRun, updates: SourceUpdate[]): void => {
    merged.push(...updates.map((update) => ({ ...update, runId })));
  };
  const changes = planSync({ ...input, runs: tx.runs, sourceRecords: tx.sourceRecords });
  for (const change of changes.slice(0, MAX_CHANGES_PER_BATCH)) {
    switch (change.kind) {
      case 'forget':
        records = forgetSource(records, change.source);
        break;
      case 'record':
        record(change.run, [change.update]);
        break;
      case 'complete': {
        const event: NewEvent = { event: 'archived', by, source: change.source.path };
        tx.end(change.run, { ...change.run.state, status: 'completed' }, event, { purge: false });
        records = forgetSource(records, change.source);
        record(change.run, change.updates);
        current.delete(change.run.runId);
        break;
      }
      case 'archive': {
        const { run } = change;
        const reason = describeSourceEnd(change.reason);
        const state: RunState = { ...run.state, status: 'cancelled', status_reason: reason };
        tx.end(run, state, { event: 'archived', by, reason }, { purge: false });
        records = recordAway(records, run);
        current.delete(run.runId);
        break;
      }
      case 'create': {
        const run = returnedRun(tx, change, [...current.values()], by) ?? createRun(tx, change, by);
        record(run, change.updates);
        current.set(run.runId, run);
        break;
      }
      case 'update': {
        const source = sourcesIn(change.updates);
        const path = change.run.state.source?.path ?? '';
        const reason = describeSourceEnd({ kind: 'names_another', path });
        const event: NewEvent =
          change.updates.length === 0
            ? { event: 'released', by, reason }
            : { event: 'merged', by, source, phase: change.state.phase };
        const run = tx.write(change.run, change.state, event);
        record(run, change.updates);
        current.set(run.runId, run);
      }
    }
  }
  const kept = withFingerprints(forgetFormerSections(records, merged), input.sources);
  tx.saveSourceRecords(recordSources(kept, merged));
  return { runs: [...current.values()], isComplete: changes.length <= MAX_CHANGES_PER_BATCH };
}

type Creation = Extract<SyncChange, { kind: 'create' }>;

function createRun(tx: Transaction, { state, updates }: Creation, by: string): StoredRun {
  const event: NewEvent = { event: 'detected', by, source: sourcesIn(updates) };
  return tx.create(state, event, new Date(state.created_at));
}

/** The archived run of a source that has returned; undefined if it is no longer in the archive. */
function returnedRun(
  tx: Transaction,
  { archivedRunId, updates }: Creation,
  runs: readonly StoredRun[],
  by: string,
): StoredRun | undefined {
  const [update] = updates;
  if (archivedRunId === undefined || update === undefined) return undefined;
  const event: NewEvent = { event: 'returned', by, source: update.source.path };
  return tx.restoreArchived(archivedRunId, event, (archived) =>
    withoutBusyHolder(returnedState(archived, update), runs),
  );
}

function sourcesIn(updates: SourceUpdate[]): string {
  return updates.map((update) => update.source.path).join(', ');
}
