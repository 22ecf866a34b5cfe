import { hostTitle } from '../../hosts/hosts.ts';
import {
  declaredArtifacts,
  decide,
  manual,
} from '../../guidance/artifacts/declared.ts';
import { isAbsent, type Loaded } from '../../guidance/artifacts/load-plain.ts';
import { displayPath } from '../../guidance/artifacts/artifact-path.ts';
import { loadArtifact, whereIs } from '../../guidance/artifacts/prime.ts';
import { failureText, skippedText } from '../../guidance/frame.ts';
import {
  PHASE_SIGNS,
  passedBySteps,
  templateNameOf,
  phaseStates,
  type PhaseState,
} from '../../state/progress.ts';
import type { ReadingEntry } from '../../guidance/reading/required-reading.ts';
import { missingMarker } from '../../guidance/restore/render-restoration.ts';
import {
  holderOf,
  machineOfHolder,
  sessionRecord,
} from '../../sessions/holder.ts';
import { lastSeen } from '../../sessions/liveness.ts';
import { goneSince } from '../../sessions/liveness.ts';
import { isHeldByLiveSession } from '../../sessions/liveness.ts';
import { isHolder } from '../../sessions/open-project.ts';
import { isActive } from '../../state/run.ts';
import { recencyOf } from '../../state/recency.ts';
import { noteText, notesOf } from '../../state/notes.ts';
import { failureOf } from '../../state/failure.ts';
import { phaseLabel } from '../../state/phase-words.ts';
import { planOf } from '../../state/plan-of-run.ts';
import { isArchived } from '../../state/paths.ts';
import type { Run, RunState } from '../../state/types.ts';
import { isWaitingPhase } from '../../state/waiting-phase.ts';
import type { ArtifactInContext } from '../../state/state-types.generated.ts';
import type { Colors } from '../../text/colors.ts';
import { digestOf } from '../../text/slug.ts';
import { humanizeStatus, timeAgo } from '../../text/relative-time.ts';
import {
  asWord,
  formatEntry,
  sanitizeLine,
  sanitizeTitle,
  shortId,
  truncate,
} from '../../text/sanitize.ts';
import type { ContextCommand } from '../../machine/machine-state.ts';
import type { ArtifactState, StatusDocument } from '../json/documents.ts';
import {
  facts,
  paragraphs,
  section,
  foldAround,
  type CommandContext,
  type Output,
} from './output.ts';
import { earlyText, otherRuns, setAsideText } from './status-report.ts';
import { agentLine, forReader, stepText, taskSection } from './report-run.ts';
import { readerOf } from '../../sessions/caller.ts';
import { pad, widthOf } from '../../text/terminal-width.ts';
import { dueArtifacts } from '../../state/in-context.ts';
import {
  mustEndTurn,
  nameIfAmbiguous,
  unusualNext,
} from '../../templates/what-to-type-next.ts';

/** The full view of a run. `action` is the context action that this call requests. */
export function statusText(
  cli: CommandContext,
  run: Run,
  report: StatusDocument,
  action: ContextCommand | null,
): string {
  const { colors } = cli.output;
  const { bold } = colors;
  const { state } = run;
  const phases = phaseList(run, cli.output);
  const reading = report.reading.map((entry) => readingLine(entry, colors));
  const artifacts = report.artifacts.map((each) => artifactLine(each, cli.now));
  const reminders = (state.key_reminders ?? []).map(
    (reminder) => `- ${sanitizeLine(reminder)}`,
  );
  const context = Object.entries(state.context ?? {}).map(([key, value]) =>
    sanitizeLine(formatEntry(key, value)),
  );
  const files = Object.entries(state.artifacts ?? {}).map(([key, path]) =>
    sanitizeLine(formatEntry(key, displayPath(path, run, cli.root))),
  );
  // What is loaded before a context action that this call requests would be lost by it.
  const due = action === null ? dueLines(cli, run) : [];
  const outputs = outputLines(run, missingMarker(cli.root));
  const next = unusualNext(cli, run, action);
  const reader = readerOf(cli.caller);
  const step = stepText(colors, reader, forReader(cli, run, report), action);
  return paragraphs([
    facts(runFacts(cli, run, report, phases.inline), colors.dim),
    section(bold('Phases'), phases.lines),
    section(bold('Warning'), report.warnings),
    mustEndTurn(cli.environment, run) ? '' : step,
    taskSection(run, colors),
    section(bold('Required reading'), reading),
    section(bold('Due at this step'), due),
    section(bold('Critical artifacts'), artifacts),
    section(bold('Key reminders'), reminders),
    section(bold('Decisions and dead ends'), noteLines(run)),
    section(bold('Context'), context),
    section(bold('Artifacts'), files),
    section(bold('Outputs'), outputs),
    otherRuns(cli, report.others),
    setAsideText(cli, report.set_aside),
    next === null ? '' : `Next: ${next}`,
  ]);
}

const MAX_CONDITION_CHARS = 200;

/** The lines at the top, each with its name; those that say nothing are left out. */
function runFacts(
  cli: CommandContext,
  run: Run,
  report: StatusDocument,
  phases: string,
): [name: string, text: string][] {
  const { colors } = cli.output;
  const { state } = run;
  const hasBegun = isActive(run) && !isWaitingPhase(state);
  const since = hasBegun ? report.phase_since : null;
  const step = sanitizeLine(report.step?.progress.text ?? '');
  const passedBy = passedBySteps(run).map(
    ({ id, when }) => `${id} (false: ${asWord(when, MAX_CONDITION_CHARS)})`,
  );
  const { workflow_type: type } = state;
  return [
    ['Workflow', colors.bold(sanitizeTitle(state.workflow))],
    ['Template', sanitizeTitle(templateNameOf(state) ?? '')],
    ['Phase', phaseFact(cli, state)],
    ['Begun', since === null ? '' : timeAgo(since, cli.now)],
    ['Failed', failureText(run)?.replace('failed ', '') ?? ''],
    ['Step', step.replace(/^step /, '')],
    ['About', aboutFact(state)],
    ['Agent', agentLine(report.step, cli)],
    ['Phases', phases],
    // Steps that were neither done nor skipped: their conditions are false.
    ['Passed by', passedBy.join(', ')],
    ['Skipped', skippedText(state)],
    ['Status', statusFact(state, colors)],
    ['Reason', reasonFact(state)],
    ['Type', type === 'custom' ? '' : sanitizeTitle(type)],
    ['Plan', planLine(state)],
    ['Run', run.runId],
    ['Held by', holderText(cli, run)],
    ['Updated', timeAgo(recencyOf(run), cli.now)],
  ];
}

/** A run is named by its summary, so only an older or renamed run has another one to show. */
function aboutFact({ machine, workflow }: RunState): string {
  const summary = machine?.['summary'];
  return typeof summary === 'string' && summary !== workflow
    ? sanitizeTitle(summary)
    : '';
}

/** Why the run stands still, unless the failure says the same. */
function reasonFact(state: RunState): string {
  const { status_reason: reason = '' } = state;
  return failureOf(state)?.reason === reason ? '' : sanitizeLine(reason);
}

/** The columns of a terminal that does not tell its width. */
const UNKNOWN_WIDTH = 80;
/** `Phases` with the space after it. */
const LABEL_WIDTH = 9;
/** The mark before a phase and the space after it, and the gap to the next one. */
const MARK_WIDTH = 4;

type ListedPhase = {
  n: number;
  state: PhaseState;
  text: string;
  paint: (text: string) => string;
};

/** The phases of a run: in one line if they fit there, else below each other, folded around the current one. */
export function phaseList(
  run: Run,
  { columns, colors: { green, bold, red, yellow, dim } }: Output,
  indent = 0,
): { inline: string; lines: string[] } {
  const { phase, status = '' } = run.state;
  const names = phaseNames(run);
  if (names.length < 2) return { inline: '', lines: [] };
  const stateOf = phaseStates(run);
  const isStopped =
    phase.status === 'blocked' || ['failed', 'cancelled'].includes(status);
  const current = isStopped ? red : bold;
  const paints = {
    done: green,
    current,
    skipped: yellow,
    open: dim,
    passed: dim,
  };
  const phases = names.map((name, index): ListedPhase => {
    const shown = stateOf(index + 1);
    const text = `${sanitizeTitle(name)}${shown === 'skipped' ? ' (skipped)' : ''}`;
    return { n: index + 1, state: shown, text, paint: paints[shown] };
  });
  let width = LABEL_WIDTH + indent;
  for (const { text } of phases) width += widthOf(text) + MARK_WIDTH;
  if (width <= (columns ?? UNKNOWN_WIDTH)) {
    const inline = phases
      .map((each) => each.paint(`${PHASE_SIGNS[each.state]} ${each.text}`))
      .join('  ');
    return { inline, lines: [] };
  }
  const digits = String(phases.length).length;
  const line = ({ n, state: shown, text, paint }: ListedPhase): string =>
    paint(`${PHASE_SIGNS[shown]} ${String(n).padStart(digits)} ${text}`);
  const lines = foldAround(phases, phase.current - 1, line, hiddenText);
  return { inline: '', lines };
}

/** Several steps of a template may be one phase; then the steps have better names. */
function phaseNames(run: Run): readonly string[] {
  const { phases = [] } = run.state;
  if (new Set(phases).size === phases.length) return phases;
  return run.kind === 'template'
    ? run.template.steps.map(({ id }) => id)
    : phases;
}

/** `12 earlier: 11 done, 1 skipped` or `8 more`. */
function hiddenText(
  hidden: readonly ListedPhase[],
  side: 'before' | 'after',
): string {
  const words = { done: 'done', skipped: 'skipped', passed: 'passed by' };
  const parts = Object.entries(words).flatMap(([state, word]) => {
    const count = hidden.filter((phase) => phase.state === state).length;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  if (side === 'before') return `${hidden.length} earlier: ${parts.join(', ')}`;
  return [`${hidden.length} more`, ...parts].join(', ');
}

function phaseFact(
  { caller, output }: CommandContext,
  state: RunState,
): string {
  const { green, red, dim, yellow } = output.colors;
  const { phase, ended_early: early } = state;
  const label = sanitizeTitle(phaseLabel(phase));
  if (isWaitingPhase(state)) {
    const whose = readerOf(caller) === 'model' ? "the user's" : 'your';
    return `${label} (${yellow(`waits for ${whose} word`)})`;
  }
  const paint = {
    completed: green,
    in_progress: yellow,
    blocked: red,
    not_started: dim,
  };
  return early === undefined
    ? `${label} (${paint[phase.status](humanizeStatus(phase.status))})`
    : label;
}

function statusFact(
  { status = 'in_progress', ended_early: early }: RunState,
  { green, red, yellow }: Colors,
): string {
  if (early !== undefined) return yellow(`ended early at ${earlyText(early)}`);
  if (status === 'in_progress') return '';
  const paint = {
    completed: green,
    paused: yellow,
    failed: red,
    cancelled: red,
  }[status];
  return paint(humanizeStatus(status));
}

/** Only for plans of other tools: people may not know that holdfast reads them. */
export function planLine(state: RunState): string {
  const format = state.source?.['format'];
  const plan = planOf(state);
  if (typeof format !== 'string' || plan === undefined) return '';
  return `${asWord(plan)} (${asWord(format)})`;
}

/** Artifacts that the session was not given, because it has not moved the run here itself. */
function dueLines(cli: CommandContext, run: Run): string[] {
  const due = dueArtifacts(run.state);
  if (due.length === 0 || !isActive(run) || mustEndTurn(cli.environment, run))
    return [];
  if (readerOf(cli.caller) === 'person')
    return [`${due.join(', ')}: the session that works on the run loads it`];
  const named = nameIfAmbiguous(cli, run, cli.store.list().runs);
  return [
    `${due.join(', ')}: load with holdfast prime${named} --artifacts ${due.join(',')}`,
  ];
}

/** Those whose condition holds. Git is not asked. */
export function artifactReports(
  cli: CommandContext,
  run: Run,
): ArtifactState[] {
  const { state } = run;
  const entries = state.context_metadata?.artifacts_in_context ?? [];
  const { artifacts } = declaredArtifacts(state, cli.settings);
  return decide(artifacts, manual, state).flatMap(({ artifact, verdict }) => {
    if (verdict !== 'load') return [];
    const { id, type, required = false } = artifact;
    const loaded =
      type === 'git_info' ? null : loadArtifact(artifact, run, cli.root);
    const entry = entries.findLast((each) => each.artifact_id === id);
    return {
      id,
      required,
      state: artifactState(loaded, entry),
      where: loaded === null ? '' : whereIs(loaded),
      loaded_at: entry?.loaded_at ?? null,
    };
  });
}

/** `loaded` is null where it was not looked at; `given` is what the session was given of it. */
function artifactState(
  loaded: Loaded | null,
  given: ArtifactInContext | undefined,
): ArtifactState['state'] {
  if (loaded !== null && isAbsent({ loaded })) return 'missing';
  if (given === undefined) return 'not_loaded';
  const isSame =
    loaded?.kind !== 'text' || given.digest === digestOf(loaded.text);
  return isSame ? 'in_context' : 'changed';
}

function artifactLine(
  { id, required, state, where, loaded_at: at }: ArtifactState,
  now: Date,
) {
  const time = at === null ? '' : `, loaded ${timeAgo(at, now)}`;
  const words = state === 'missing' ? '' : `: ${humanizeStatus(state)}${time}`;
  return sanitizeLine(
    `${id}${required ? ' (required)' : ''} ${where}`.trimEnd() + words,
  );
}

/** As wide as `in context`. */
const READING_WIDTH = 10;

export function readingLine(
  { path, state }: ReadingEntry,
  { green, yellow, red, dim }: Colors,
): string {
  const { word, paint } = {
    in_context: { word: 'in context', paint: green },
    changed: { word: 'changed', paint: yellow },
    unread: { word: 'unread', paint: yellow },
    missing: { word: 'missing', paint: red },
    outside: { word: 'outside', paint: red },
    host: { word: 'by host', paint: dim },
    denied: { word: 'denied', paint: red },
  }[state];
  return `${paint(pad(word, READING_WIDTH))} ${sanitizeLine(path)}`;
}

function holderText(cli: CommandContext, run: Run): string {
  const { state } = run;
  const holder = isArchived(run) ? null : holderOf(state);
  if (holder === null) return 'nobody';
  if (cli.session !== null && isHolder(cli, run)) return 'this session';
  const seen = timeAgo(lastSeen(sessionRecord(state, holder), cli), cli.now);
  const machine = machineOfHolder(state);
  const session = `${hostTitle(sessionRecord(state, holder))}session ${shortId(holder)}`;
  if (machine !== null)
    return `${session} on another machine (${asWord(machine)}), at the last sync`;
  if (isHeldByLiveSession(run, cli)) return `${session}, seen ${seen}`;
  const gone =
    goneSince(state, cli) === null ? '' : 'whose client is gone, seen ';
  return `nobody (last: ${session}, ${gone}${seen})`;
}

/** So many outputs and notes are shown; `show` and `note --list` have the rest. */
const MAX_SHOWN = 8;
const MAX_TEXT_CHARS = 300;

/** What earlier phases or steps handed on, the latest ones if there are many; files that do not exist are marked. */
function outputLines(run: Run, showFile: (path: string) => string): string[] {
  const lines: string[] = [];
  for (const { name, text, files } of outputsOf(run)) {
    const parts = [
      truncate(sanitizeLine(text), MAX_TEXT_CHARS),
      files.map(showFile).join(', '),
    ];
    const words = parts.filter((part) => part !== '').join('; ');
    if (words !== '') lines.push(sanitizeLine(`${name}: ${words}`));
  }
  const hidden = lines.length - MAX_SHOWN;
  const shown = lines.slice(-MAX_SHOWN);
  return hidden > 0
    ? [`… ${hidden} earlier: holdfast show ${run.runId}`, ...shown]
    : shown;
}

interface HandedOn {
  /** Of the phase or step. */
  name: string;
  text: string;
  files: readonly string[];
}

/** Those of phases first, then those of the steps of a template, also if the work was sent back before them. */
function outputsOf(run: Run): HandedOn[] {
  const { state } = run;
  const outputs: HandedOn[] = [];
  for (const [n, made] of Object.entries(state.outputs ?? {})) {
    const { text = '', artefacts: files = [] } = made;
    const name = state.phases?.[Number(n) - 1] ?? `phase ${n}`;
    outputs.push({ name, text, files });
  }
  if (run.kind !== 'template') return outputs;

  const { sentBack = {}, artefacts } = run.machine;
  const texts: Record<string, string> = {
    ...sentBack,
    ...run.machine.outputs,
  };
  const steps = new Set([...Object.keys(texts), ...Object.keys(artefacts)]);
  for (const name of steps)
    outputs.push({
      name,
      text: texts[name] ?? '',
      files: artefacts[name] ?? [],
    });
  return outputs;
}

/** The newest first. */
function noteLines({ state, runId }: Run): string[] {
  const notes = notesOf(state).map(
    (note) => `- ${truncate(sanitizeLine(noteText(note)), MAX_TEXT_CHARS)}`,
  );
  const hidden = notes.length - MAX_SHOWN;
  const shown = notes.slice(0, MAX_SHOWN);
  return hidden > 0
    ? [...shown, `… ${hidden} older: holdfast note --list --run ${runId}`]
    : shown;
}
