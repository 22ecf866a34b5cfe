import type { StoredRun } from '../../state/types.ts';
import type { ContextCommand } from '../../workflow/machine/machine-state.ts';
import type { CommandContext } from '../context.ts';
import { statusReport, type StatusReport } from './status-report.ts';
import { statusText } from './status-text.ts';

/** Prints the run as it is now: the same words and data after every command. */
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
