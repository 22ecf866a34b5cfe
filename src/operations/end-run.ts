import { readSources } from '../sync/read-sources.ts';
import type { JournalEvent } from '../state/journal.ts';
import { forgetRun, remember } from '../sync/source-memory.ts';
import type { Transaction } from '../state/store/store.ts';
import { sourcesFor } from '../sync/plan-sync.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import type { OperationContext } from './open-project.ts';
import { syncInput } from './sync-preview.ts';

/** Archives the run and records what its sources declare now, so that they do not create it again. */
export function endRun(
  context: OperationContext,
  tx: Transaction,
  run: StoredRun,
  state: RunState,
  event: JournalEvent,
  purge: boolean,
): StoredRun {
  const { sources } = readSources(context.root, context.settings.detect);
  const { runs, memory } = tx;
  const updates = sourcesFor(run, syncInput(context, { sources, runs, memory }));
  const recorded = updates.map((source) => ({ ...source, runId: run.runId }));
  tx.keepMemory(remember(forgetRun(tx.memory, run.runId), recorded));
  return tx.end(run, { ...state, status: 'completed' }, event, { purge });
}
