import { findDetectedRuns } from '../sources/project-sources.ts';
import { byRecency } from '../state/recency.ts';
import {
  describeAllUnreadable,
  listArchive,
} from '../state/store/run-files.ts';
import { describeMisplaced, listUnused } from '../state/store/unused-files.ts';
import type { Run } from '../state/types.ts';
import { phaseLabel } from '../state/phase-words.ts';
import { humanizeStatus, timeAgo } from '../text/relative-time.ts';
import { shortId } from '../text/sanitize.ts';
import { proposedWord } from '../text/shell-commands.ts';
import { NEEDS } from '../ui/need.ts';
import { summaryOf } from '../ui/run-summary.ts';
import {
  groupOf,
  runsEverywhere,
  type ProjectRun,
} from '../ui/runs-everywhere.ts';
import { command, type Shown } from './command.ts';
import type { EverywhereDocument, ListDocument } from './json/documents.ts';
import { flag } from './options.ts';
import {
  paragraphs,
  section,
  type CommandContext,
  table,
} from './view/output.ts';
import {
  detectedReport,
  detectedText,
  setAsideText,
  summaryTable,
} from './view/status-report.ts';

export const list = command({
  usage: 'list',
  about: 'list the runs in this project, or in all of your projects',
  examples: ['holdfast list --all', 'holdfast list --everywhere'],
  options: {
    all: flag('include archived runs'),
    everywhere: flag(
      'the runs of all projects that your sessions have worked in',
    ),
  },
  run: (cli, { all, everywhere }): Shown<ListDocument | EverywhereDocument> => {
    if (everywhere) return showEverywhere(cli, runsEverywhere(cli, all));
    const { runs: stored, unreadable } = cli.store.list();
    for (const sentence of describeAllUnreadable(unreadable))
      cli.output.warn(sentence);
    const { setAside, misplaced } = listUnused(cli.root);
    for (const path of misplaced) cli.output.warn(describeMisplaced(path));
    const ended = all ? listArchive(cli.store.root).runs : [];
    const summaries = (listed: readonly Run[], archived: boolean) =>
      byRecency(listed).map((run) => ({ ...summaryOf(cli, run), archived }));
    const runs = [...summaries(stored, false), ...summaries(ended, true)];
    const detected = findDetectedRuns(cli, stored).map(detectedReport);
    const text = paragraphs([
      runs.length > 0
        ? summaryTable(cli, runs)
        : noRunsText(all, detected.length > 0),
      detectedText(cli, detected),
      setAsideText(cli, setAside),
    ]);
    return { data: { runs, detected, set_aside: setAside }, text };
  },
});

/** `isAll`: those in the archive were looked for as well. */
function noRunsText(isAll: boolean, hasDetected: boolean): string {
  const none = hasDetected ? 'No stored runs' : 'No runs';
  return isAll
    ? `${none}, and none archived.`
    : `${none}. Start one with \`holdfast start <name>\`; \`holdfast list --all\` includes archived ones.`;
}

const TITLES = [
  'PROJECT',
  'RUN',
  'PHASE',
  'STATUS',
  'HELD BY',
  'CONTEXT',
  'LAST SEEN',
];

function showEverywhere(
  cli: CommandContext,
  runs: ProjectRun[],
): Shown<EverywhereDocument> {
  const { bold } = cli.output.colors;
  const width = (cli.output.columns ?? Infinity) - SECTION_INDENT;
  const sections = [...new Set(runs.map(groupOf))].map((title) => {
    const rows = runs
      .filter((run) => groupOf(run) === title)
      .map((run) => rowOf(run, cli.now));
    return section(bold(title), table(TITLES, rows, width).split('\n'));
  });
  const text = paragraphs([...sections, nextText(runs[0])]);
  return { data: { runs }, text };
}

/** By which `section` indents its lines. */
const SECTION_INDENT = 2;

function rowOf(run: ProjectRun, now: Date): string[] {
  const { holder, needs, status } = run;
  const live = holder?.live === true ? holder : null;
  const fill = live?.fill ?? null;
  return [
    run.project.name,
    run.run_id,
    phaseLabel(run.phase),
    needs === null ? humanizeStatus(status) : NEEDS[needs],
    live === null ? '' : shortId(live.session),
    fill === null ? '' : `${fill} %`,
    timeAgo(holder?.last_seen || run.updated_at, now),
  ];
}

/** What to type for the first of the runs. */
function nextText(first: ProjectRun | undefined): string {
  if (first === undefined)
    return 'No runs. Projects are listed once a session has worked on a run there.';
  // A run that goes on is looked at, not taken from its session.
  const goesOn = first.needs === null && first.holder?.live === true;
  const typed = first.commands.at(goesOn ? -1 : 0)?.command ?? '';
  const where = typed.startsWith('/') ? 'in Claude Code ' : '';
  const folder = proposedWord(first.project.root, '<folder>');
  return `Next: cd ${folder}, then ${where}${typed}`;
}
