import { listSetAside } from '../../state/store/set-aside.ts';
import { describeUnreadable } from '../../errors/state-files.ts';
import { findDetectedRuns } from '../../operations/detected-run.ts';
import { byRecency } from '../../sessions/select-run.ts';
import type { CommandContext } from '../context.ts';
import { detectedReport, detectedText } from '../output/detected.ts';
import { fitText, paragraphs } from '../output/layout.ts';
import { setAsideText, summaryTable } from '../output/run-table.ts';
import { summaryOf } from '../output/status-report.ts';

export function list(cli: CommandContext, options: { all?: boolean }): void {
  const { runs, unreadable } = cli.store.list();
  const archived = options.all === true ? cli.store.archive().runs : [];
  for (const file of unreadable) cli.output.warn(describeUnreadable(file));
  const summaries = byRecency(runs).map((run) => ({ ...summaryOf(cli, run), archived: false }));
  const archivedSummaries = byRecency(archived).map((run) => ({
    ...summaryOf(cli, run),
    archived: true,
  }));
  const all = [...summaries, ...archivedSummaries];
  const detected = findDetectedRuns(cli, runs).map(detectedReport);
  const setAside = listSetAside(cli.root);
  const text = [
    all.length === 0
      ? emptyText(options.all === true, detected.length > 0)
      : summaryTable(cli, all),
    detectedText(cli, detected),
    setAsideText(cli, setAside),
  ];
  cli.output.result(
    { runs: all, detected, set_aside: setAside },
    fitText(paragraphs(text), cli.output.columns),
  );
}

function emptyText(isAll: boolean, hasDetected: boolean): string {
  if (isAll)
    return hasDetected ? 'No stored runs, and none archived.' : 'No runs, and none archived.';
  return hasDetected
    ? 'No stored runs; `holdfast list --all` includes archived ones.'
    : 'No runs. Start one with `holdfast start <name>`; `holdfast list --all` includes archived ones.';
}
