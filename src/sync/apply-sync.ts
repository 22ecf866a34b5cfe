import type { Unreadable } from '../state/store/list-runs.ts';
import type { Store } from '../state/store/store.ts';
import type { Transaction } from '../state/store/transaction.ts';
import type { StoredRun } from '../state/types.ts';
import { planSync } from './plan-sync.ts';
import {
  forgetSource,
  recordSources,
  sourcesToRefingerprint,
  withFingerprints,
  type MergedSource,
} from './source-records.ts';
import type { SourceFile, SyncInput } from './types.ts';

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
  onSetAside?: (file: Unreadable) => void;
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
  const finished: SourceFile[] = [];
  const merged: MergedSource[] = [];
  const changes = planSync({ ...input, runs: tx.runs, sourceRecords: tx.sourceRecords });
  for (const change of changes.slice(0, MAX_CHANGES_PER_BATCH)) {
    if (change.kind === 'forget') {
      finished.push(change.source);
      continue;
    }
    if (change.kind === 'archive') {
      const event = { event: 'archived', by, source: change.source.path };
      tx.end(change.run, { ...change.run.state, status: 'completed' }, event, { purge: false });
      finished.push(change.source);
      current.delete(change.run.runId);
      continue;
    }
    const source = change.updates.map((update) => update.source.path).join(', ');
    const run =
      change.kind === 'create'
        ? tx.create(change.state, { event: 'detected', by, source })
        : tx.write(change.run, change.state, {
            event: 'merged',
            by,
            source,
            phase: change.state.phase,
          });
    merged.push(...change.updates.map((update) => ({ ...update, runId: run.runId })));
    current.set(run.runId, run);
  }
  const kept = withFingerprints(finished.reduce(forgetSource, tx.sourceRecords), input.sources);
  tx.saveSourceRecords(recordSources(kept, merged));
  return { runs: [...current.values()], isComplete: changes.length <= MAX_CHANGES_PER_BATCH };
}
