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
  machineOfHolder,
  sessionRecord,
} from '../../sessions/holder.ts';
import { displayPath } from '../../artifacts/placeholders.ts';
import { failureText, skippedText } from '../../guidance/frame.ts';
import { failureOf } from '../../state/failure.ts';
import { phaseLabel } from '../../state/phases.ts';
import { nextPhase, skippedPhases } from '../../state/skipped.ts';
import { isActive } from '../../sessions/select-run.ts';
import { templateNameOf } from '../../workflow/run-view.ts';
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
  const failure = failureText(state);
  const reason = state.status_reason ?? '';
  return [
    bold(sanitizeLine(state.workflow)),
    facts([
      ['Template', sanitizeLine(templateNameOf(state) ?? '')],
      ['Phase', `${sanitizeLine(phaseLabel(state.phase))} (${humanizeStatus(state.phase.status)})`],
      ['Failed', failure ?? ''],
      ['Step', stepLine(report.step)],
      ['About', sanitizeLine(summaryIn(state))],
      ['Agent', agentLine(report.step)],
      ['Phases', phasesLine(state)],
      ['Passed by', passedByLine(state)],
      ['Skipped', skippedText(state, MAX_PHASES_SHOWN) ?? ''],
      ['Status', state.status === 'in_progress' ? '' : humanizeStatus(state.status ?? '')],
      ['Reason', failureOf(state)?.reason === reason ? '' : sanitizeLine(reason)],
      ['Type', state.workflow_type === 'custom' ? '' : sanitizeLine(state.workflow_type)],
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
    section(bold('Artifacts'), artifactLines(cli, run)),
    section(bold('Made so far'), madeLines(report.step)),
    section(
      bold('Other active runs'),
      report.others.length === 0 ? [] : summaryTable(cli, report.others).split('\n'),
    ),
    setAsideText(cli, report.set_aside),
    nextLine(cli, run, report, action),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

export function summaryTable(cli: CommandContext, runs: RunSummary[]): string {
  const rows = runs.map((run) => [
    run.run_id,
    phaseCell(run),
    humanizeStatus(run.status),
    run.held_by === null ? '' : shortId(run.held_by),
    timeAgo(run.updated_at, cli.now),
  ]);
  const isHeld = runs.some((run) => run.held_by !== null);
  const columns = [
    { title: 'RUN', max: isHeld ? 30 : 38 },
    { title: 'PHASE', max: runs.some(hasSkipped) ? 26 : 14 },
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

function hasSkipped({ skipped }: RunSummary): boolean {
  return Object.keys(skipped).length > 0;
}

function phaseCell(run: RunSummary): string {
  const label = phaseLabel(run.phase);
  return hasSkipped(run) ? `${label} (${Object.keys(run.skipped).length} skipped)` : label;
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

/** A run is named by its summary, so only an older or renamed run has another one to show. */
function summaryIn({ machine, workflow }: RunState): string {
  const summary = machine?.['summary'];
  return typeof summary === 'string' && summary !== workflow ? summary : '';
}

function artifactLines(cli: CommandContext, run: StoredRun): string[] {
  return Object.entries(run.state.artifacts ?? {}).map(([key, path]) =>
    formatEntry(key, displayPath(path, run, cli.root)),
  );
}

function madeLines(step: Status | null): string[] {
  return Object.entries(step?.artefacts ?? {})
    .filter(([id]) => id !== step?.step || step.status === 'complete')
    .map(([id, paths]) => `${sanitizeLine(id)}: ${paths.map(sanitizeLine).join(', ')}`);
}

/** Files that were unreadable: only a person can repair them. */
export function setAsideText(cli: CommandContext, paths: readonly string[]): string {
  return section(
    cli.output.colors.bold('Unreadable state files, set aside'),
    paths.map(
      (path) =>
        `${sanitizeLine(path)}: repair it and remove ".corrupt-…" from its name, or delete it`,
    ),
  );
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
  if (phases === undefined || phases.length < 2 || phases.length > MAX_PHASES_SHOWN) return '';
  const passedBy = new Set(passedBySteps(state).map((step) => step.phase));
  const skipped = new Set(skippedPhases(state).map((entry) => entry.phase));
  const label = (name: string, n: number): string => {
    if (skipped.has(n)) return `↷ ${sanitizeLine(name)} (skipped)`;
    if (passedBy.has(n)) return `– ${sanitizeLine(name)}`;
    return `${n < phase.current ? '✓' : n === phase.current ? '▸' : '·'} ${sanitizeLine(name)}`;
  };
  return phases.map((name, index) => label(name, index + 1)).join('  ');
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
  if (machineOfHolder(state) !== null)
    return `session ${shortId(holder)} on another machine (${sanitizeLine(machineOfHolder(state) ?? '')}), at the last sync`;
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
  cli: CommandContext,
  run: StoredRun,
  { step }: StatusReport,
  action: ContextCommand | null,
): string {
  const { status, phase } = run.state;
  if (status === 'paused' || status === 'failed') return `Next: holdfast resume ${run.runId}`;
  const named = nameIfAmbiguous(cli, run);
  if (status === 'completed') return `Next: holdfast complete${named}`;
  if (phase.status === 'blocked')
    return `Next: resolve the blocker, then holdfast ${step === null ? `update${named} --status in_progress` : `advance${named}`}`;
  if (action !== null) return `Next: ${action}, then holdfast status${named}`;
  if (step !== null) return stepNextLine(step, named);
  const next = nextPhase(run.state);
  const left = phase.total - phase.current;
  return next === null
    ? `Next: holdfast advance${named} (this is the last phase: it completes the run)`
    : `Next: holdfast advance${named} (${pluralize(left - skippedAhead(run.state), 'phase')} to go after this one)`;
}

function skippedAhead(state: RunState): number {
  return skippedPhases(state).filter((entry) => entry.phase > state.phase.current).length;
}

/** The run's id as an argument, if the command could mean another run without it. */
function nameIfAmbiguous({ store }: CommandContext, { runId }: StoredRun): string {
  const isAlone = store.list().runs.every((other) => other.runId === runId || !isActive(other));
  return isAlone ? '' : ` ${runId}`;
}

function stepNextLine({ stepType, task }: Status, named: string): string {
  if (stepType === 'approval')
    return `Next: the user decides: holdfast approve${named}, or holdfast reject${named} --feedback "<what has to change>"`;
  return stepType === 'loop' && task === undefined
    ? 'Next: set the tasks, as the instructions say'
    : `Next: holdfast advance${named} --output "<what the next steps need to know>"`;
}
