import { readSources } from '../io/sources.ts';
import { liveHolder } from '../sessions/history.ts';
import type { JournalEvent } from '../state/journal.ts';
import { forgetRun, remember } from '../state/source-memory.ts';
import type { Transaction } from '../state/store.ts';
import { sourcesOf } from '../state/sync.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import type { Desk } from './desk.ts';

/** Takes the run out, and remembers what its sources say now, so that they do not bring it back. */
export function endRun(
  desk: Desk,
  tx: Transaction,
  run: StoredRun,
  state: RunState,
  event: JournalEvent,
  purge: boolean,
): StoredRun {
  const feeding = sourcesOf(run, {
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
