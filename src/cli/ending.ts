import { oneLine } from '../guidance/plain.ts';
import { ARCHIVE_FOLDER } from '../state/places.ts';
import type { StoredRun } from '../state/types.ts';
import type { Cli } from './context.ts';
import { statusReport } from './status-report.ts';

export function reportEnd(cli: Cli, run: StoredRun, lead = ''): void {
  const archived = run.path.startsWith(ARCHIVE_FOLDER) ? run.path : null;
  const end = `Completed ${oneLine(run.state.workflow)} (${run.runId}).`;
  const place = archived === null ? 'Nothing was kept.' : `Its record is in ${archived}.`;
  cli.output.result(
    { ...statusReport(cli, run, []), archived },
    [lead, end, place].filter((part) => part !== '').join(' '),
  );
}
