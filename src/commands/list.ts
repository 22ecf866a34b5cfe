import { findDetectedRuns } from '../sources/detected-runs.ts';
import { summaryOf, type RunSummary } from '../sessions/run-summary.ts';
import { byRecency } from '../sessions/select-run.ts';
import { describeUnreadable, listSetAside, listArchive } from '../state/store/list-runs.ts';
import type { StoredRun } from '../state/types.ts';
import { command } from './command.ts';
import { flag } from './options.ts';
import { detectedReport, detectedText } from './view/detected.ts';
import { paragraphs } from './view/layout.ts';
import type { CommandContext } from './view/output.ts';
import { setAsideText, summaryTable } from './view/status-report.ts';

export const list = command({
  usage: 'list',
  about: 'list the runs in this project',
  examples: ['holdfast list --all'],
  agent: 'may',
  options: { all: flag('include archived runs') },
  run: (context, { all }) => {
    const { runs, unreadable } = context.store.list();
    for (const file of unreadable) context.output.warn(describeUnreadable(file));
    const archived = all ? listArchive(context.store.root).runs : [];
    return {
      runs: [...summaries(context, runs, false), ...summaries(context, archived, true)],
      detected: findDetectedRuns(context, runs).map(detectedReport),
      set_aside: listSetAside(context.root),
    };
  },
  show: (cli, listed, { all }) => {
    const { runs, detected, set_aside: setAside } = listed;
    const text = paragraphs([
      runs.length === 0 ? emptyText(all, detected.length > 0) : summaryTable(cli, runs),
      detectedText(cli, detected),
      setAsideText(cli, setAside),
    ]);
    return { data: listed, text };
  },
});

function summaries(
  cli: CommandContext,
  runs: readonly StoredRun[],
  archived: boolean,
): (RunSummary & { archived: boolean })[] {
  return byRecency(runs).map((run) => ({ ...summaryOf(cli, run), archived }));
}

function emptyText(isAll: boolean, hasDetected: boolean): string {
  if (isAll)
    return hasDetected ? 'No stored runs, and none archived.' : 'No runs, and none archived.';
  return hasDetected
    ? 'No stored runs; `holdfast list --all` includes archived ones.'
    : 'No runs. Start one with `holdfast start <name>`; `holdfast list --all` includes archived ones.';
}
