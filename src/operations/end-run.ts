import { readSources } from '../sync/read-sources.ts';
import { liveHolder } from '../sessions/holder.ts';
import type { JournalEvent } from '../state/journal.ts';
import { forgetRun, remember } from '../sync/source-memory.ts';
import type { Transaction } from '../state/store/store.ts';
import { sourcesFor } from '../sync/plan-sync.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import type { OperationContext } from './context.ts';

/** Takes the run out, and remembers what its sources say now, so that they do not bring it back. */
export function endRun(
  desk: OperationContext,
  tx: Transaction,
  run: StoredRun,
  state: RunState,
  event: JournalEvent,
  purge: boolean,
): StoredRun {
  const feeding = sourcesFor(run, {
    sources: readSources(desk.root, desk.settings.detect).sources,
    runs: tx.runs,
    memory: tx.memory,
    session: desk.session,
    isHeld: (other) => liveHolder(other.state, desk) !== null,
    now: desk.now,
  });
  const fed = feeding.map((source) => ({ ...source, runId: run.runId }));
  tx.keepMemory(remember(forgetRun(tx.memory, run.runId), fed));
  return tx.end(run, { ...state, status: 'completed' }, event, { purge });
}
