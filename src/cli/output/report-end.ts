import { sanitizeLine } from '../../util/sanitize.ts';
import { ARCHIVE_FOLDER } from '../../state/paths.ts';
import type { StoredRun } from '../../state/types.ts';
import type { CommandContext } from '../context.ts';
import { statusReport } from './status-report.ts';

export function reportEnd(cli: CommandContext, run: StoredRun, lead = ''): void {
  const archived = run.path.startsWith(ARCHIVE_FOLDER) ? run.path : null;
  const end = `Completed ${sanitizeLine(run.state.workflow)} (${run.runId}).`;
  const place = archived === null ? 'Nothing was kept.' : `Its record is in ${archived}.`;
  cli.output.result(
    { ...statusReport(cli, run, []), archived },
    [lead, end, place].filter((part) => part !== '').join(' '),
  );
}
