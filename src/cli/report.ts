import { readingList, type ReadingEntry } from '../guidance/reading-list.ts';
import { projectFiles } from '../io/file-facts.ts';
import { currentIdOf, holderOf, liveHolder, recordOf } from '../sessions/history.ts';
import { phaseLabel } from '../state/phases.ts';
import { isActive } from '../state/select.ts';
import { recencyOf } from '../state/recency.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import type { Cli } from './context.ts';
import { pad, table } from './table.ts';
import { entryLine, oneLine, shortId } from '../guidance/plain.ts';
import { ago, counted, statusWords } from '../guidance/words.ts';

/** What `status --json` prints, and every command that leaves a run behind. */
export interface StatusReport {
  run: RunState | null;
  step: null;
  context_action: null;
  reading: ReadingEntry[];
  others: RunSummary[];
}

export interface RunSummary {
  run_id: string;
  workflow: string;
  workflow_type: string;
  status: string;
  phase: RunState['phase'];
  updated_at: string;
  held_by: string | null;
  path: string;
}

export function statusReport(cli: Cli, run: StoredRun | null, others: StoredRun[]): StatusReport {
  return {
    run: run?.state ?? null,
    step: null,
    context_action: null,
    reading: run === null ? [] : readingList(run.state, projectFiles(cli.root)),
    others: others.map((other) => summaryOf(cli, other)),
  };
}

export function summaryOf(cli: Cli, run: StoredRun): RunSummary {
  const { workflow, workflow_type, status, phase } = run.state;
  return {
    run_id: run.runId,
    workflow,
    workflow_type,
    status: status ?? 'in_progress',
    phase,
    updated_at: new Date(recencyOf(run)).toISOString(),
    held_by: isActive(run) ? liveHolder(run.state, cli) : null,
    path: run.path,
  };
}

/** Prints the run as it is now: the same words and data after every command. */
export function reportRun(
  cli: Cli,
  run: StoredRun,
  others: StoredRun[] = [],
  lead = '',
): StatusReport {
  const report = statusReport(cli, run, others);
  const text = statusText(cli, run, report);
  cli.output.result(report, lead === '' ? text : `${lead}\n\n${text}`);
  return report;
}

export function statusText(cli: Cli, run: StoredRun, report: StatusReport): string {
  const { bold } = cli.output.colors;
  const { state } = run;
  return [
    bold(oneLine(state.workflow)),
    facts([
      ['Phase', `${oneLine(phaseLabel(state.phase))} (${statusWords(state.phase.status)})`],
      ['Phases', phasesLine(state)],
      ['Status', state.status === 'in_progress' ? '' : statusWords(state.status ?? '')],
      ['Reason', oneLine(state.status_reason ?? '')],
      ['Type', state.workflow_type],
      ['Run', run.runId],
      ['Held by', holderLine(cli, run)],
      ['Updated', ago(recencyOf(run), cli.now)],
    ]),
    section(bold('Required reading'), report.reading.map(readingLine)),
    section(
      bold('Key reminders'),
      (state.key_reminders ?? []).map((text) => `- ${oneLine(text)}`),
    ),
    section(bold('Context'), entries(state.context)),
    section(bold('Artifacts'), entries(state.artifacts)),
    section(
      bold('Other active runs'),
      report.others.length === 0 ? [] : summaryTable(cli, report.others).split('\n'),
    ),
    nextLine(state),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

export function summaryTable(cli: Cli, runs: RunSummary[]): string {
  const rows = runs.map((run) => [
    run.run_id,
    phaseLabel(run.phase),
    statusWords(run.status),
    run.held_by === null ? '' : shortId(run.held_by),
    ago(run.updated_at, cli.now),
  ]);
  const isHeld = runs.some((run) => run.held_by !== null);
  const columns = [
    { title: 'RUN', max: isHeld ? 30 : 38 },
    { title: 'PHASE', max: 14 },
    { title: 'STATUS', max: 11 },
    ...(isHeld ? [{ title: 'HELD BY', max: 8 }] : []),
    { title: 'UPDATED', max: 14 },
  ];
  return table(
    columns,
    isHeld
      ? rows
      : rows.map(([id = '', phase = '', status = '', , time = '']) => [id, phase, status, time]),
  );
}

export function section(title: string, lines: string[]): string {
  return lines.length === 0 ? '' : [title, ...lines.map((line) => `  ${line}`)].join('\n');
}

function facts(pairs: [name: string, value: string][]): string {
  return pairs
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${pad(name, 8)} ${value}`)
    .join('\n');
}

function entries(object: object | undefined): string[] {
  return Object.entries(object ?? {}).map(([key, value]) => entryLine(key, value));
}

function phasesLine({ phases, phase }: RunState): string {
  if (phases === undefined || phases.length < 2) return '';
  const mark = (index: number): string =>
    index + 1 < phase.current ? '✓' : index + 1 === phase.current ? '▸' : '·';
  return phases.map((name, index) => `${mark(index)} ${oneLine(name)}`).join('  ');
}

function holderLine(cli: Cli, { state }: StoredRun): string {
  const holder = holderOf(state);
  if (holder === null) return 'nobody';
  if (cli.session !== null && currentIdOf(cli.session, cli.store.list().runs) === holder)
    return 'this session';
  const record = recordOf(state, holder);
  const seen = ago(record?.last_seen_at ?? record?.started_at ?? '', cli.now);
  return liveHolder(state, cli) === null
    ? `nobody now (last: session ${shortId(holder)}, ${seen})`
    : `session ${shortId(holder)}, seen ${seen}`;
}

function readingLine({ path, state }: ReadingEntry): string {
  return `${pad(readingWords[state], 10)} ${oneLine(path)}`;
}

const readingWords = {
  in_context: 'in context',
  changed: 'changed',
  unread: 'unread',
  missing: 'missing',
  outside: 'outside',
  host: 'by host',
} as const;

function nextLine({ status, phase }: RunState): string {
  if (status === 'paused' || status === 'failed') return 'Next: holdfast resume';
  if (status === 'completed') return 'Next: holdfast complete';
  if (phase.status === 'blocked')
    return 'Next: solve what blocks it, then holdfast update --status in_progress';
  const left = phase.total - phase.current;
  return left > 0
    ? `Next: holdfast advance (${counted(left, 'phase')} to go after this one)`
    : 'Next: holdfast advance (this is the last phase: it completes the run)';
}
