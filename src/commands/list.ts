import { findDetectedRuns } from '../sources/detected-runs.ts';
import { summaryOf } from '../sessions/run-summary.ts';
import { byRecency } from '../sessions/select-run.ts';
import {
  describeMisplaced,
  describeUnreadable,
  listArchive,
  listMisplaced,
  listSetAside,
} from '../state/store/list-runs.ts';
import type { StoredRun } from '../state/types.ts';
import { command } from './command.ts';
import { flag } from './options.ts';
import { paragraphs } from './view/layout.ts';
import { detectedReport, detectedText, setAsideText, summaryTable } from './view/status-report.ts';

export const list = command({
  usage: 'list',
  about: 'list the runs in this project',
  examples: ['holdfast list --all'],
  agent: 'may',
  options: { all: flag('include archived runs') },
  run: (context, { all }) => {
    const { runs, unreadable } = context.store.list();
    for (const file of unreadable) context.output.warn(describeUnreadable(file));
    for (const path of listMisplaced(context.root)) context.output.warn(describeMisplaced(path));
    const archived = all ? listArchive(context.store.root).runs : [];
    const summaries = (listed: readonly StoredRun[], isArchived: boolean) =>
      byRecency(listed).map((run) => ({ ...summaryOf(context, run), archived: isArchived }));
    return {
      runs: [...summaries(runs, false), ...summaries(archived, true)],
      detected: findDetectedRuns(context, runs).map(detectedReport),
      set_aside: listSetAside(context.root),
    };
  },
  show: (cli, listed, { all }) => {
    const { runs, detected, set_aside: setAside } = listed;
    const none = detected.length > 0 ? 'No stored runs' : 'No runs';
    const text = paragraphs([
      runs.length > 0
        ? summaryTable(cli, runs)
        : all
          ? `${none}, and none archived.`
          : `${none}. Start one with \`holdfast start <name>\`; \`holdfast list --all\` includes archived ones.`,
      detectedText(cli, detected),
      setAsideText(cli, setAside),
    ]);
    return { data: listed, text };
  },
});
