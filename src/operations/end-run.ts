import { readSyncInput } from '../sync/read-sources.ts';
import type { NewEvent } from '../state/journal.ts';
import { forgetRun, recordSources } from '../sync/source-records.ts';
import type { Transaction } from '../state/store/store.ts';
import { sourcesFor } from '../sync/plan-sync.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import type { OperationContext } from './open-project.ts';

/** Archives the run and records what its sources declare now, so that they do not create it again. */
export function endRun(
  context: OperationContext,
  tx: Transaction,
  run: StoredRun,
  state: RunState,
  event: NewEvent,
  purge: boolean,
): StoredRun {
  const { input } = readSyncInput(context, tx);
  const merged = sourcesFor(run, input).map((update) => ({ ...update, runId: run.runId }));
  tx.saveSourceRecords(recordSources(forgetRun(tx.sourceRecords, run.runId), merged));
  return tx.end(run, state.status === 'cancelled' ? state : asCompleted(state), event, { purge });
}

/** Why a run was paused or blocked before is not why it was completed. */
function asCompleted({ status_reason: _reason, ...state }: RunState): RunState {
  return { ...state, status: 'completed' };
}
