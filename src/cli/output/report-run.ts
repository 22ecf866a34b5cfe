import { ARCHIVE_FOLDER } from '../../state/paths.ts';
import type { StoredRun } from '../../state/types.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import type { ContextCommand } from '../../workflow/machine/machine-state.ts';
import type { CommandContext } from '../context.ts';
import { statusReport, type StatusReport } from './status-report.ts';
import { statusText } from './status-text.ts';

/** Prints the run as it is now, in the same form after every command. */
export function reportRun(
  cli: CommandContext,
  run: StoredRun,
  others: StoredRun[] = [],
  lead = '',
  action: ContextCommand | null = null,
  more: object = {},
): StatusReport {
  const report = statusReport(cli, run, others, action);
  const text = statusText(cli, run, report, action);
  cli.output.result({ ...report, ...more }, lead === '' ? text : `${lead}\n\n${text}`);
  return report;
}

/** Prints that the run has ended, and where its record is. */
export function reportEnd(cli: CommandContext, run: StoredRun, lead = ''): void {
  const archived = run.path.startsWith(ARCHIVE_FOLDER) ? run.path : null;
  const verb = run.state.status === 'cancelled' ? 'Cancelled' : 'Completed';
  const end = `${verb} ${sanitizeLine(run.state.workflow)} (${run.runId}).`;
  const place = archived === null ? 'No record was kept.' : `Its record is in ${archived}.`;
  cli.output.result(
    { ...statusReport(cli, run, []), archived },
    [lead, end, place].filter((part) => part !== '').join(' '),
  );
}
