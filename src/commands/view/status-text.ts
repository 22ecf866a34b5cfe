import { displayPath } from '../../guidance/artifacts/load-plain.ts';
import { skippedText, pivotBlocker } from '../../guidance/frame.ts';
import { mustEndTurn } from '../../operations/driven-run.ts';
import type { ReadingEntry } from '../../guidance/reading/reading-list.ts';
import { missingMarker } from '../../guidance/restore/render-restoration.ts';
import { dueArtifacts } from '../../sessions/context-record.ts';
import { drivenClient } from '../../sessions/client-process.ts';
import {
  holderOf,
  isHeldByLiveSession,
  lastSeen,
  machineOfHolder,
  resolveSession,
  sessionRecord,
} from '../../sessions/holder.ts';
import { isActive, recencyOf } from '../../sessions/select-run.ts';
import { failureOf, phaseLabel, planOf } from '../../state/phases.ts';
import { isArchived } from '../../state/paths.ts';
import type { RunState, StoredRun } from '../../state/types.ts';
import type { Colors } from '../../text/colors.ts';
import { humanizeStatus, timeAgo } from '../../text/relative-time.ts';
import { formatEntry, sanitizeLine, shortId, truncate } from '../../text/sanitize.ts';
import type { ContextCommand } from '../../templates/machine/machine-state.ts';
import type { Status } from '../../templates/machine/status.ts';
import { passedBySteps, stepView, templateNameOf, triesAllowed } from '../../templates/run-view.ts';
import { entryLines, facts, fitText, paragraphs, section, UNKNOWN_WIDTH } from './layout.ts';
import { nameIfAmbiguous, nextCommand } from './report-run.ts';
import type { CommandContext } from './output.ts';
import { phaseList } from './phase-list.ts';
import { earlyText, setAsideText, summaryTable, type StatusReport } from './status-report.ts';
import { agentLine, stepLine, stepText, taskSection } from './step-text.ts';
import { pad } from './table.ts';

const MAX_SKIPPED = 12;

export interface StatusTextOptions {
  /** The context action that this call requests. */
  action?: ContextCommand | null;
  /** When the run entered its phase. */
  since?: string | null;
}

/** The full view of a run. */
export function statusText(
  cli: CommandContext,
  run: StoredRun,
  report: StatusReport,
  { action = null, since = null }: StatusTextOptions = {},
): string {
  const { colors, columns } = cli.output;
  const { bold } = colors;
  const { state } = run;
  const phases = phaseList(state, colors, columns ?? UNKNOWN_WIDTH);
  const text = paragraphs([
    bold(sanitizeLine(state.workflow)),
    facts(
      [
        ['Template', sanitizeLine(templateNameOf(state) ?? '')],
        ['Phase', phaseFact(state, colors)],
        ['Begun', since === null || !isActive(run) ? '' : timeAgo(since, cli.now)],
        ['Failed', failedFact(state)],
        ['Step', stepLine(report.step)],
        ['About', sanitizeLine(summaryIn(state))],
        ['Agent', agentLine(report.step, drivenClient(cli.environment)?.agent ?? null)],
        ['Phases', phases.inline],
        ['Passed by', passedByLine(state)],
        ['Skipped', skippedText(state, MAX_SKIPPED) ?? ''],
        ['Status', statusFact(state, colors)],
        ['Reason', reasonFact(state)],
        ['Type', state.workflow_type === 'custom' ? '' : sanitizeLine(state.workflow_type)],
        ['Plan', planLine(state)],
        ['Run', run.runId],
        ['Held by', holderText(cli, run)],
        ['Updated', timeAgo(recencyOf(run), cli.now)],
      ],
      colors.dim,
    ),
    section(bold('Phases'), phases.lines),
    section(bold('Warning'), report.warnings),
    mustEndTurn(cli.environment, run) ? '' : stepText(colors, report, action),
    taskSection(state, colors),
    section(
      bold('Required reading'),
      report.reading.map((entry) => readingLine(entry, colors)),
    ),
    // What is loaded before a context action that this call requests would be lost by it.
    section(bold('Due at this step'), action === null ? dueLines(cli, run) : []),
    section(bold('In context'), artifactsInContext(cli, state)),
    section(
      bold('Key reminders'),
      (state.key_reminders ?? []).map((reminder) => `- ${sanitizeLine(reminder)}`),
    ),
    section(bold('Context'), entryLines(state.context)),
    section(bold('Artifacts'), artifactLines(cli, run)),
    section(bold('Outputs'), outputLines(run)),
    section(bold('Files so far'), fileLines(state, report.step, missingMarker(cli.root))),
    section(
      bold('Other active runs'),
      report.others.length === 0 ? [] : summaryTable(cli, report.others, 2).split('\n'),
    ),
    setAsideText(cli, report.set_aside),
    `Next: ${nextCommand(cli, run, report.step, action)}`,
  ]);
  return fitText(text, columns);
}

function phaseFact(
  { phase, ended_early: early }: RunState,
  { green, red, dim, yellow }: Colors,
): string {
  if (early !== undefined) return sanitizeLine(phaseLabel(phase));
  const paint = { completed: green, in_progress: yellow, blocked: red, not_started: dim };
  return `${sanitizeLine(phaseLabel(phase))} (${paint[phase.status](humanizeStatus(phase.status))})`;
}

function statusFact(state: RunState, { green, red, yellow }: Colors): string {
  const { status = 'in_progress', ended_early: early } = state;
  if (early !== undefined) return yellow(`ended early at ${earlyText(early)}`);
  const text = humanizeStatus(status);
  switch (status) {
    case 'in_progress':
      return '';
    case 'completed':
      return green(text);
    case 'failed':
    case 'cancelled':
      return red(text);
    default:
      return yellow(text);
  }
}

const MAX_REASON = 300;

/** `2 times, the last time: the tests need a database (try 3 of 4)`; empty if nothing failed in this phase. */
function failedFact(state: RunState): string {
  const failure = failureOf(state);
  if (failure === null) return '';
  const { tries, reason } = failure;
  const count = tries === 1 ? 'once' : `${tries} times, the last time`;
  const allowed = triesAllowed(state);
  const next =
    state.phase.status === 'blocked' || allowed === null
      ? ''
      : ` (try ${Math.min(tries + 1, allowed)} of ${allowed})`;
  return `${count}: ${truncate(sanitizeLine(reason), MAX_REASON)}${next}`;
}

/** Why the run stands still, unless the failure says the same. */
function reasonFact(state: RunState): string {
  const reason = pivotBlocker(state) ?? state.status_reason ?? '';
  return failureOf(state)?.reason === reason ? '' : sanitizeLine(reason);
}

/** A run is named by its summary, so only an older or renamed run has another one to show. */
function summaryIn({ machine, workflow }: RunState): string {
  const summary = machine?.['summary'];
  return typeof summary === 'string' && summary !== workflow ? summary : '';
}

/** Only for plans of other tools: people may not know that holdfast reads them. */
export function planLine(state: RunState): string {
  const format = state.source?.['format'];
  const plan = planOf(state);
  if (typeof format !== 'string' || plan === undefined) return '';
  return `${sanitizeLine(plan)} (${sanitizeLine(format)})`;
}

/** Steps that were neither done nor skipped: their conditions are false. */
function passedByLine(state: RunState): string {
  return passedBySteps(state)
    .map(({ id, when }) => sanitizeLine(`${id} (false: ${when})`))
    .join(', ');
}

function artifactLines(cli: CommandContext, run: StoredRun): string[] {
  return Object.entries(run.state.artifacts ?? {}).map(([key, path]) =>
    formatEntry(key, displayPath(path, run, cli.root)),
  );
}

/** Artifacts that the session was not given, because it has not moved the run here itself. */
function dueLines(cli: CommandContext, run: StoredRun): string[] {
  const due = dueArtifacts(run.state);
  if (due.length === 0 || !isActive(run) || mustEndTurn(cli.environment, run)) return [];
  const named = nameIfAmbiguous(cli, run, cli.store.list().runs);
  const option = named === '' ? '' : ` --run${named}`;
  return [`${due.join(', ')}: load with holdfast prime --artifacts ${due.join(',')}${option}`];
}

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

export function readingLine(
  { path, state }: ReadingEntry,
  { green, yellow, red, dim }: Colors,
): string {
  const paint = {
    in_context: green,
    changed: yellow,
    unread: yellow,
    missing: red,
    outside: red,
    host: dim,
  };
  return `${paint[state](pad(READING_LABELS[state], 10))} ${sanitizeLine(path)}`;
}

const READING_LABELS = {
  in_context: 'in context',
  changed: 'changed',
  unread: 'unread',
  missing: 'missing',
  outside: 'outside',
  host: 'by host',
} as const;

/** Who works on a run, and when that session was last seen. */
function holderText(cli: CommandContext, run: StoredRun): string {
  const { state } = run;
  const holder = isArchived(run) ? null : holderOf(state);
  if (holder === null) return 'nobody';
  if (isThisSession(cli, holder)) return 'this session';
  const seen = timeAgo(lastSeen(sessionRecord(state, holder), cli), cli.now);
  const machine = machineOfHolder(state);
  if (machine !== null)
    return `session ${shortId(holder)} on another machine (${sanitizeLine(machine)}), at the last sync`;
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

const MAX_SHOWN = 8;
const MAX_TEXT = 300;

/** What earlier phases or steps handed on, the latest ones if there are many. */
function outputLines({ state, runId }: StoredRun): string[] {
  const outputs = [...phaseOutputs(state), ...stepOutputs(state)];
  const hidden = outputs.length - MAX_SHOWN;
  const shown = outputs
    .slice(-MAX_SHOWN)
    .map(([name, text]) => `${sanitizeLine(name)}: ${truncate(sanitizeLine(text), MAX_TEXT)}`);
  return hidden > 0 ? [`… ${hidden} earlier: holdfast show ${runId}`, ...shown] : shown;
}

function phaseOutputs({ outputs, phases }: RunState): [name: string, text: string][] {
  return Object.entries(outputs ?? {}).flatMap(([key, { text }]) =>
    text === undefined ? [] : [[phaseNamed(phases, key), text]],
  );
}

function stepOutputs(state: RunState): [name: string, text: string][] {
  const view = stepView(state);
  return view?.kind === 'step' ? Object.entries(view.machine.outputs) : [];
}

/** The files of earlier phases or steps; those that do not exist are marked. */
function fileLines(
  { outputs, phases }: RunState,
  step: Status | null,
  showFile: (path: string) => string,
): string[] {
  const byPhase = Object.entries(outputs ?? {}).map(([key, { artefacts }]): [string, string[]] => [
    phaseNamed(phases, key),
    artefacts ?? [],
  ]);
  const byStep = Object.entries(step?.artefacts ?? {}).filter(
    ([id]) => id !== step?.step || step.status === 'complete',
  );
  return [...byPhase, ...byStep]
    .filter(([, paths]) => paths.length > 0)
    .map(
      ([name, paths]) =>
        `${sanitizeLine(name)}: ${paths.map((path) => sanitizeLine(showFile(path))).join(', ')}`,
    );
}

function phaseNamed(phases: readonly string[] | undefined, key: string): string {
  return phases?.[Number(key) - 1] ?? `phase ${key}`;
}
