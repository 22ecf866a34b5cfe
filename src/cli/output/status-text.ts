import {
  formatEntry,
  sanitizeLine,
  shortId,
  sanitizeLinesWithFeedback,
} from '../../util/sanitize.ts';
import type { ReadingEntry } from '../../reading/reading-list.ts';
import { timeAgo, pluralize, humanizeStatus } from '../../util/relative-time.ts';
import {
  resolveSession,
  holderOf,
  isHeldByLiveSession,
  sessionRecord,
} from '../../sessions/holder.ts';
import { phaseLabel } from '../../state/phases.ts';
import { recencyOf } from '../../sessions/recency.ts';
import type { RunState, StoredRun } from '../../state/types.ts';
import type { ContextCommand } from '../../workflow/machine/machine-state.ts';
import type { Status } from '../../workflow/machine/status.ts';
import { contextActionText, requestText } from '../../workflow/machine/context-action-text.ts';
import { passedBySteps } from '../../workflow/run-view.ts';
import type { CommandContext } from '../context.ts';
import type { RunSummary, StatusReport } from './status-report.ts';
import { pad, table } from './table.ts';

export function statusText(
  cli: CommandContext,
  run: StoredRun,
  report: StatusReport,
  action: ContextCommand | null = null,
): string {
  const { bold } = cli.output.colors;
  const { state } = run;
  return [
    bold(sanitizeLine(state.workflow)),
    facts([
      ['Phase', `${sanitizeLine(phaseLabel(state.phase))} (${humanizeStatus(state.phase.status)})`],
      ['Step', stepLine(report.step)],
      ['About', sanitizeLine(summaryIn(state))],
      ['Agent', agentLine(report.step)],
      ['Phases', phasesLine(state)],
      ['Passed by', passedByLine(state)],
      ['Status', state.status === 'in_progress' ? '' : humanizeStatus(state.status ?? '')],
      ['Reason', sanitizeLine(state.status_reason ?? '')],
      ['Type', sanitizeLine(state.workflow_type)],
      ['Plan', planLine(state)],
      ['Run', run.runId],
      ['Held by', holderLine(cli, run)],
      ['Updated', timeAgo(recencyOf(run), cli.now)],
    ]),
    section(bold('Warning'), report.warnings),
    stepText(cli, report, action),
    section(bold('Required reading'), report.reading.map(readingLine)),
    section(bold('In context'), artifactsInContext(cli, state)),
    section(
      bold('Key reminders'),
      (state.key_reminders ?? []).map((text) => `- ${sanitizeLine(text)}`),
    ),
    section(bold('Context'), entries(state.context)),
    section(bold('Artifacts'), entries(state.artifacts)),
    section(
      bold('Other active runs'),
      report.others.length === 0 ? [] : summaryTable(cli, report.others).split('\n'),
    ),
    nextLine(state, report, action),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

export function summaryTable(cli: CommandContext, runs: RunSummary[]): string {
  const rows = runs.map((run) => [
    run.run_id,
    phaseLabel(run.phase),
    humanizeStatus(run.status),
    run.held_by === null ? '' : shortId(run.held_by),
    timeAgo(run.updated_at, cli.now),
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
  return Object.entries(object ?? {}).map(([key, value]) => formatEntry(key, value));
}

/** Without the word "step", which is the label of the line. */
function stepLine(step: Status | null): string {
  return sanitizeLine(step?.progress.text ?? '').replace(/^step /, '');
}

function summaryIn({ machine }: RunState): string {
  return typeof machine?.['summary'] === 'string' ? machine['summary'] : '';
}

/** Only for plans of other tools: people may not know that holdfast reads them. */
function planLine({ source }: RunState): string {
  const format = source?.['format'];
  if (typeof format !== 'string') return '';
  return `${sanitizeLine(source?.path ?? '')} (${sanitizeLine(format)})`;
}

function agentLine(step: Status | null): string {
  return step === null || step.agent === null ? '' : `${sanitizeLine(step.agent)} (delegate it)`;
}

/** What to do now: the instructions, or the context action that comes first. */
function stepText(
  cli: CommandContext,
  { step, context_action: pending }: StatusReport,
  action: ContextCommand | null,
): string {
  if (step === null) return '';
  const { bold } = cli.output.colors;
  if (action !== null) {
    return section(bold('First'), [
      `${requestText(action)} Then run \`holdfast status\` for the instructions. If no user is there to do it, run it anyway.`,
    ]);
  }
  return [
    pending === null ? '' : section(bold('Before this step'), [contextActionText(pending)]),
    section(
      bold('Instructions'),
      step.instructions === '' ? [] : sanitizeLinesWithFeedback(step.instructions),
    ),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const MAX_PHASES_SHOWN = 12;

/** Only critical artifacts: required files have their own section. */
function artifactsInContext(
  cli: CommandContext,
  { context_metadata: metadata }: RunState,
): string[] {
  return (metadata?.artifacts_in_context ?? [])
    .filter(({ artifact_id: id }) => !id.startsWith('@'))
    .map(
      ({ artifact_id: id, loaded_at: at }) => `${sanitizeLine(id)}, loaded ${timeAgo(at, cli.now)}`,
    );
}

function phasesLine(state: RunState): string {
  const { phases, phase } = state;
  const passedBy = new Set(passedBySteps(state).map((step) => step.phase));
  if (phases === undefined || phases.length < 2 || phases.length > MAX_PHASES_SHOWN) return '';
  const mark = (index: number): string => {
    if (passedBy.has(index + 1)) return '–';
    return index + 1 < phase.current ? '✓' : index + 1 === phase.current ? '▸' : '·';
  };
  return phases.map((name, index) => `${mark(index)} ${sanitizeLine(name)}`).join('  ');
}

/** Steps that were neither done nor skipped: their conditions are false. */
function passedByLine(state: RunState): string {
  return passedBySteps(state)
    .map(({ id, when }) => sanitizeLine(`${id} (false: ${when})`))
    .join(', ');
}

function holderLine(cli: CommandContext, run: StoredRun): string {
  const { state } = run;
  const holder = holderOf(state);
  if (holder === null) return 'nobody';
  if (isThisSession(cli, holder)) return 'this session';
  const record = sessionRecord(state, holder);
  const seen = timeAgo(record?.last_seen_at ?? record?.started_at ?? '', cli.now);
  return isHeldByLiveSession(run, cli)
    ? `session ${shortId(holder)}, seen ${seen}`
    : `nobody (last: session ${shortId(holder)}, ${seen})`;
}

/** After /clear the runs know the successor of a session; they are read only if the ids differ. */
function isThisSession({ session, store }: CommandContext, holder: string): boolean {
  return (
    session !== null &&
    (session === holder || resolveSession(session, store.list().runs) === holder)
  );
}

function readingLine({ path, state }: ReadingEntry): string {
  return `${pad(READING_LABELS[state], 10)} ${sanitizeLine(path)}`;
}

const READING_LABELS = {
  in_context: 'in context',
  changed: 'changed',
  unread: 'unread',
  missing: 'missing',
  outside: 'outside',
  host: 'by host',
} as const;

function nextLine(
  { status, phase }: RunState,
  { step }: StatusReport,
  action: ContextCommand | null,
): string {
  if (status === 'paused' || status === 'failed') return 'Next: holdfast resume';
  if (status === 'completed') return 'Next: holdfast complete';
  if (phase.status === 'blocked')
    return `Next: resolve the blocker, then holdfast ${step === null ? 'update --status in_progress' : 'advance'}`;
  if (action !== null) return `Next: ${action}, then holdfast status`;
  if (step !== null) return stepNextLine(step);
  const left = phase.total - phase.current;
  return left > 0
    ? `Next: holdfast advance (${pluralize(left, 'phase')} to go after this one)`
    : 'Next: holdfast advance (this is the last phase: it completes the run)';
}

function stepNextLine({ stepType, task }: Status): string {
  if (stepType === 'approval')
    return 'Next: the user decides: holdfast approve, or holdfast reject --feedback "<what has to change>"';
  return stepType === 'loop' && task === undefined
    ? 'Next: set the tasks, as the instructions say'
    : 'Next: holdfast advance --output "<what the next steps need to know>"';
}
