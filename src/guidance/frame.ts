import { ownSources, sourceStateOf } from '../sources/source-state.ts';
import type { SourceFile } from '../sources/types.ts';
import type { Reader } from '../sessions/caller.ts';
import { isArchived } from '../state/paths.ts';
import { failureOf } from '../state/failure.ts';
import {
  isCounted,
  phaseWords,
  uncountedText,
  phaseNumber,
} from '../state/phase-words.ts';
import { labelOfPhase } from '../state/phase-labels.ts';
import { skippedPhases } from '../state/phases.ts';
import { isWaitingPhase } from '../state/waiting-phase.ts';
import type { DeclaredPhase, Run, RunState } from '../state/types.ts';
import { triesAllowed, pivotsOf } from '../state/progress.ts';
import { asWord, sanitizeLine, truncate } from '../text/sanitize.ts';
import { slugOf } from '../text/slug.ts';

/** Of the phases that are named in one line. */
const MAX_NAMED_PHASES = 10;
const MAX_PHASE_CHARS = 80;
const MAX_REASON_CHARS = 300;
const MAX_LINE_CHARS = 160;
/** From this time on, work that is sent back again is a question for the user. */
const PIVOTS_WORTH_A_WARNING = 3;

/** Untrusted text as one line of at most this length. */
export function oneLine(text: string, max: number = MAX_LINE_CHARS): string {
  return truncate(sanitizeLine(text), max);
}

/** The first of some names, and how many more there are. */
export function someOf(names: readonly string[], max: number): string {
  const left = names.length - max;
  return `${names.slice(0, max).join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

/** The phase with what it failed with, if it did, the phases that were skipped, and those that nobody has passed. */
export function phaseLines(run: Run): string[] {
  const { state } = run;
  const { phase, phases = [], undone = [] } = state;
  const isWaiting = isWaitingPhase(state);
  const words = isWaiting ? "waits for the user's word" : phase.status;
  // A line as it stands has its own words for a status; only that it is blocked is said again.
  const showsStatus = isCounted(phase) || phase.status === 'blocked';
  const status = showsStatus || isWaiting ? ` (${words})` : '';
  const lines = [`Phase: ${phaseText(state)}${status}${afterStatus(run)}`];
  const skipped = skippedText(state);
  if (skipped !== '') lines.push(`Skipped, not done: ${skipped}`);
  const open = undone.map((number) =>
    numbered(labelOfPhase(state, number) ?? number, phases[number - 1]),
  );
  if (open.length > 0)
    lines.push(`Still open before it: ${someOf(open, MAX_NAMED_PHASES)}`);
  return lines;
}

function numbered(phase: number | string, name = ''): string {
  return name === ''
    ? String(phase)
    : `${phase} - ${oneLine(name, MAX_PHASE_CHARS)}`;
}

function phaseText({ phase }: RunState): string {
  if (!isCounted(phase)) return oneLine(uncountedText(phase)) || 'not known';
  const name = phase.name === '' ? '' : ` - ${oneLine(phase.name)}`;
  return phaseNumber(phase) + name;
}

/** What the phase failed with, and why it is blocked, unless that is the same. */
function afterStatus(run: Run): string {
  const { state } = run;
  const { phase, status_reason: reason = '' } = state;
  const failure = failureText(run);
  const isOwnReason = reason !== '' && reason !== failureOf(state)?.reason;
  if (phase.status !== 'blocked' || !isOwnReason)
    return failure === null ? '' : `, ${failure}`;
  const why = `: ${asWord(reason, MAX_REASON_CHARS)}`;
  return failure === null ? why : `${why}; it ${failure}`;
}

/** `failed 2 times, the last time: "no database" (try 3 of 4)`; null if nothing failed since the phase or step was entered. */
export function failureText(run: Run): string | null {
  const { state } = run;
  const failure = failureOf(state);
  if (failure === null) return null;
  const { tries, reason } = failure;
  const count =
    tries === 1 ? 'failed once' : `failed ${tries} times, the last time`;
  const allowed = state.phase.status === 'blocked' ? null : triesAllowed(run);
  const next =
    allowed === null
      ? ''
      : ` (try ${Math.min(tries + 1, allowed)} of ${allowed})`;
  return `${count}: ${asWord(reason, MAX_REASON_CHARS)}${next}`;
}

/** `3 - Docs (no upgrade guide)`; empty if no phase was skipped. */
export function skippedText(state: RunState): string {
  const skipped = skippedPhases(state).map(({ phase, name, reason }) => {
    const why = reason === '' ? '' : ` (${oneLine(reason, MAX_PHASE_CHARS)})`;
    return `${numbered(phase, name)}${why}`;
  });
  return someOf(skipped, MAX_NAMED_PHASES);
}

/** The host keeps CLAUDE.local.md in the context, so if the state is ahead of its Phase line, the text says which one counts. */
export function staleLines(
  state: RunState,
  sources: readonly SourceFile[],
): string[] {
  const { phase, workflow, run_id: runId = '' } = state;
  for (const source of sources) {
    if (source.kind !== 'local-file') continue;
    if (source.state !== 'active' && source.state !== 'finished') continue;
    if (slugOf(source.said?.workflow ?? '') !== slugOf(workflow)) continue;
    const written = source.said?.phase ?? {};
    if (!isBehind(written, phase)) continue;

    const { current, total, name = phase.name, line } = written;
    const path = asWord(source.path);
    // Without a number, no command can go there.
    if (current === undefined)
      return [
        `This replaces the Phase line of ${path}, which still says ${asWord(name)}.`,
      ];
    const label =
      total === undefined ? (line ?? String(current)) : `${current}/${total}`;
    return [
      `This replaces the Phase line of ${path}, which still says ${asWord(label)}. \`holdfast update ${runId} --phase ${current}\` goes there.`,
    ];
  }
  return [];
}

/** Whether a Phase line shows an earlier phase than the run, or, without a number, another one. */
function isBehind(
  { current, name }: DeclaredPhase,
  phase: RunState['phase'],
): boolean {
  return current === undefined
    ? name !== undefined && name !== phase.name
    : current < phase.current;
}

/** Work that is sent back again and again is a question for the user; null before the third time. */
export function pivotWarning(run: Run, reader: Reader): string | null {
  const pivots = pivotsOf(run);
  if (pivots === null || pivots.made < PIVOTS_WORTH_A_WARNING) return null;
  const { made, max } = pivots;
  const isModel = reader === 'model';
  const task = isModel ? ': tell the user what keeps sending it back' : '';
  return made < max
    ? `This run went back ${made} times, of ${max} that its template allows${task}.`
    : `This run went back ${made} times, which is all that its template allows: the next pivot is refused, and ${isModel ? 'the user decides' : 'you decide'}.`;
}

/** A note for the session that continues a run which its source no longer declares; an archived run has ended. */
export function sourceNote(
  run: Run,
  sources: readonly SourceFile[],
): string | null {
  if (isArchived(run)) return null;
  const { runId, state } = run;
  const [source] = ownSources(state, sources);
  const path = asWord(source?.movedTo ?? state.source?.path ?? '');
  const end = `If the work is done, run \`holdfast complete ${runId}\`.`;
  const sourceState = sourceStateOf(state, sources);
  switch (sourceState) {
    case 'none':
    case 'unreadable':
      return null;
    case 'gone':
      return `${path} no longer declares this workflow. ${end}`;
    case 'finished':
    case 'cancelled':
      return `${path} says that this workflow is ${sourceState}. ${end}`;
    case 'paused':
    case 'not_started': {
      const words = sourceState.replace('_', ' ');
      return `${path} says that this workflow is ${words}.`;
    }
    default: {
      const said = source && 'said' in source ? source.said : undefined;
      return otherPhaseNote(run, path, said?.phase ?? {});
    }
  }
}

/** For a run that is in another phase than its source says; null if the run need not follow it. */
function otherPhaseNote(
  { runId, state }: Run,
  path: string,
  { current, total, name = '', label }: DeclaredPhase,
): string | null {
  if (state.machine !== undefined || current === undefined) return null;
  const reached = state.phase.current;
  // The guidance says that it replaces a Phase line of the local file that is behind.
  const isWorthANote =
    state.source?.kind === 'plan' ? current !== reached : current > reached;
  if (!isWorthANote) return null;
  // Phases of the run's own are not those of the file.
  const ownName = state.phases?.[current - 1];
  const isWritten = state.source?.['written'] === true;
  if (isWritten && ownName !== undefined && ownName !== name) return null;

  const number = total === undefined ? String(current) : `${current}/${total}`;
  const shown = label ?? number;
  const words = name === '' ? shown : `${shown} - ${asWord(name)}`;
  return `${path} says phase ${words}; \`holdfast update ${runId} --phase ${label ?? current}\` goes there.`;
}

/** A run within a sentence: its name, and where it stands. */
export function runWords({ workflow, phase }: RunState, max?: number): string {
  return `${asWord(workflow, max)}, phase ${phaseWords(phase, ' - ')}`;
}
