import { findDetectedRuns } from '../sources/project-sources.ts';
import { byRecency } from '../sessions/select-run.ts';
import {
  describeMisplaced,
  describeUnreadable,
  listArchive,
  listUnused,
} from '../state/store/run-files.ts';
import type { StoredRun } from '../state/types.ts';
import { phaseLabel } from '../state/phases.ts';
import { humanizeStatus, timeAgo } from '../text/relative-time.ts';
import { shortId } from '../text/sanitize.ts';
import { proposedWord } from '../text/shell-commands.ts';
import {
  classOf,
  NEEDS,
  runsEverywhere,
  summaryOf,
  type ProjectRun,
} from '../ui/run-card.ts';
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
    for (const file of unreadable) cli.output.warn(describeUnreadable(file));
    const { setAside, misplaced } = listUnused(cli.root);
    for (const path of misplaced) cli.output.warn(describeMisplaced(path));
    const ended = all ? listArchive(cli.store.root).runs : [];
    const summaries = (listed: readonly StoredRun[], archived: boolean) =>
      byRecency(listed).map((run) => ({ ...summaryOf(cli, run), archived }));
    const runs = [...summaries(stored, false), ...summaries(ended, true)];
    const detected = findDetectedRuns(cli, stored).map(detectedReport);
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
    return { data: { runs, detected, set_aside: setAside }, text };
  },
});

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
  const rowOf = (run: ProjectRun): string[] => [
    run.project.name,
    run.run_id,
    phaseLabel(run.phase),
    run.needs === null ? humanizeStatus(run.status) : NEEDS[run.needs],
    run.holder?.live === true ? shortId(run.holder.session) : '',
    run.holder?.live === true && run.holder.fill !== null
      ? `${run.holder.fill} %`
      : '',
    timeAgo(run.holder?.last_seen || run.updated_at, cli.now),
  ];
  const sections = [...new Set(runs.map(classOf))].map((title) => {
    const rows = runs.filter((run) => classOf(run) === title).map(rowOf);
    const lines = table(
      TITLES,
      rows,
      (cli.output.columns ?? Infinity) - 2,
    ).split('\n');
    return section(bold(title), lines);
  });
  const [first] = runs;
  // A run that goes on is looked at, not taken from its session.
  const isLeft = first?.needs === null && first.holder?.live === true;
  const typed = first?.commands.at(isLeft ? -1 : 0)?.command ?? '';
  const next =
    first === undefined
      ? 'No runs. Projects are listed once a session has worked on a run there.'
      : `Next: cd ${proposedWord(first.project.root, '<folder>')}, then ${typed.startsWith('/') ? 'in Claude Code ' : ''}${typed}`;
  return { data: { runs }, text: paragraphs([...sections, next]) };
}
