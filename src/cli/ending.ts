import { readSources } from '../io/sources.ts';
import { liveHolder } from '../sessions/history.ts';
import type { JournalEvent } from '../state/journal.ts';
import { ARCHIVE_FOLDER } from '../state/places.ts';
import type { Transaction } from '../state/store.ts';
import { forgetRun, remember } from '../state/source-memory.ts';
import { sourcesOf } from '../state/sync.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import type { Cli } from './context.ts';
import { statusReport } from './report.ts';
import { oneLine } from '../guidance/plain.ts';

/** Takes the run out, and remembers what its sources say now, so that they do not bring it back. */
export function endRun(
  cli: Cli,
  tx: Transaction,
  run: StoredRun,
  state: RunState,
  event: JournalEvent,
  purge: boolean,
): StoredRun {
  const feeding = sourcesOf(run, {
    sources: readSources(cli.root, cli.settings.detect).sources,
    runs: tx.runs,
    memory: tx.memory,
    session: cli.session,
    isHeld: (other) => liveHolder(other.state, cli) !== null,
    now: cli.now,
  });
  const fed = feeding.map((source) => ({ ...source, runId: run.runId }));
  tx.keepMemory(remember(forgetRun(tx.memory, run.runId), fed));
  return tx.end(run, { ...state, status: 'completed' }, event, { purge });
}

export function reportEnd(cli: Cli, run: StoredRun, lead = ''): void {
  const archived = run.path.startsWith(ARCHIVE_FOLDER) ? run.path : null;
  const end = `Completed ${oneLine(run.state.workflow)} (${run.runId}).`;
  const place = archived === null ? 'Nothing was kept.' : `Its record is in ${archived}.`;
  cli.output.result(
    { ...statusReport(cli, run, []), archived },
    [lead, end, place].filter((part) => part !== '').join(' '),
  );
}
