import { describeUnreadable } from '../../errors/state-files.ts';
import { byRecency } from '../../sessions/select-run.ts';
import type { CommandContext } from '../context.ts';
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
  const empty =
    options.all === true
      ? 'No runs, and none archived.'
      : 'No runs. Start one with `holdfast start <name>`; `holdfast list --all` includes archived ones.';
  const setAside = cli.store.setAside();
  const text = [all.length === 0 ? empty : summaryTable(cli, all), setAsideText(cli, setAside)];
  cli.output.result(
    { runs: all, set_aside: setAside },
    fitText(paragraphs(text), cli.output.columns),
  );
}
