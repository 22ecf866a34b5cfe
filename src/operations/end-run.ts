import { readSyncInput } from '../sources/read-sources.ts';
import type { NewEvent } from '../state/journal.ts';
import { recordEnd, recordSources } from '../sources/source-records.ts';
import type { Transaction } from '../state/store/store.ts';
import { sourcesFor } from '../sources/plan-sync.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import type { OperationContext } from './open-project.ts';

/** Archives the run and records what its sources declare now, so that they only offer to start it again. */
export function endRun(
  context: OperationContext,
  tx: Transaction,
  run: StoredRun,
  state: RunState,
  event: NewEvent,
  purge: boolean,
): StoredRun {
  const { input } = readSyncInput(context, tx);
  const ended = state.status === 'cancelled' ? state : asCompleted(state);
  const as = state.status === 'cancelled' ? 'cancelled' : 'completed';
  const records = recordSources(tx.sourceRecords, sourcesFor(run, input), run.runId);
  tx.saveSourceRecords(recordEnd(records, { ...run, state }, purge ? 'deleted' : as, input));
  return tx.end(run, ended, event, { purge });
}

/** Why a run was paused or blocked before is not why it was completed. */
function asCompleted({ status_reason: _reason, ...state }: RunState): RunState {
  return { ...state, status: 'completed' };
}
