import { failureOf, isCounted, skippedPhases, uncountedText } from '../state/phases.ts';
import type { Phase, RunState, StoredRun } from '../state/types.ts';
import { templateNameOf, triesAllowed, isPivotRefused, pivotsOf } from '../templates/run-view.ts';
import type { LineList, Section } from './budget.ts';
import type { GuidanceInput, StalePhase } from './input.ts';
import { isArchived } from '../state/paths.ts';
import { ownSources, sourceStateOf } from '../sources/source-state.ts';
import type { SourceFile } from '../sources/types.ts';
import { sanitizeLine, truncate } from '../text/sanitize.ts';

const MAX_NAME = 160;

/** The first section. Together with frameLists it is the frame: the part of the guidance that stays the same within a step. */
export function headSection({ title, run, stalePhase }: GuidanceInput): Section {
  const { workflow, workflow_type: type } = run.state;
  const template = templateNameOf(run.state);
  const lines = [
    title,
    '',
    `Workflow: ${displayName(workflow)}`,
    ...(template === null ? [] : [`Template: ${displayName(template)}`]),
    ...(type === 'custom' ? [] : [`Type: ${displayName(type)}`]),
    ...phaseLines(run.state),
    ...staleLines(stalePhase),
  ];
  return { name: 'head', text: lines.join('\n'), cut: null };
}

/** All empty for a run without a template. */
export function frameLists({ step, run, maxChars }: GuidanceInput): LineList[] {
  const scale = maxChars / 8_000;
  const show = `holdfast show ${run.runId}`;
  return [
    {
      title: step?.title ?? 'Instructions',
      lines: step?.instructions ?? [],
      share: 1_600 * scale,
      shownBy: 'holdfast status',
    },
    {
      title: 'Preserved',
      lines: step?.preserved ?? [],
      share: 1_000 * scale,
      shownBy: show,
      shorter: step?.shorter.preserved,
    },
    {
      title: 'Feedback',
      lines: step?.feedback ?? [],
      share: 1_000 * scale,
      shownBy: show,
      shorter: step?.shorter.feedback,
    },
  ];
}

const MAX_REASON = 300;
const MAX_SKIPPED = 10;

/** The phase with what it failed with, if it did, and the phases that were skipped. */
export function phaseLines(state: RunState): string[] {
  const skipped = skippedText(state, MAX_SKIPPED);
  return [
    `Phase: ${phaseText(state)}${statusText(state.phase)}${afterStatus(state)}`,
    ...(skipped === null ? [] : [`Skipped, not done: ${skipped}`]),
    ...undoneLines(state),
  ];
}

/** The phases before the current one that nobody has passed. */
function undoneLines({ undone = [], phases = [] }: RunState): string[] {
  if (undone.length === 0) return [];
  const shown = undone
    .slice(0, MAX_SKIPPED)
    .map(
      (n) => `${n}${phases[n - 1] ? ` - ${truncate(sanitizeLine(phases[n - 1] ?? ''), 80)}` : ''}`,
    );
  const left = undone.length - shown.length;
  return [`Still open before it: ${shown.join(', ')}${left > 0 ? ` and ${left} more` : ''}`];
}

/** What the phase failed with, or why it is blocked. */
export function afterStatus(state: RunState): string {
  const failure = failureText(state);
  const limit = pivotBlocker(state);
  if (limit !== null) return `: ${limit}${failure === null ? '' : `; it ${failure}`}`;
  if (failure !== null) return `, ${failure}`;
  // A state file written by hand gives only the reason.
  const { status_reason: reason = '' } = state;
  return state.phase.status === 'blocked' && reason !== '' ? `: ${shortReason(reason)}` : '';
}

/** `failed twice, last because: …`; null if nothing failed since the phase or step was entered. */
export function failureText(state: RunState): string | null {
  const failure = failureOf(state);
  if (failure === null) return null;
  const { tries, reason } = failure;
  const count = tries === 1 ? 'failed once' : `failed ${tries} times, the last time`;
  const allowed = triesAllowed(state);
  const next =
    state.phase.status === 'blocked' || allowed === null
      ? ''
      : `try ${Math.min(tries + 1, allowed)} of ${allowed}; `;
  return `${next}${count}: ${shortReason(reason)}`;
}

/** `3 - Docs (no upgrade guide)`; null if no phase was skipped. */
export function skippedText(state: RunState, max: number): string | null {
  const skipped = skippedPhases(state);
  if (skipped.length === 0) return null;
  const shown = skipped.slice(0, max).map(({ phase, name, reason }) => {
    const label = name === '' ? String(phase) : `${phase} - ${truncate(sanitizeLine(name), 80)}`;
    return reason === '' ? label : `${label} (${truncate(sanitizeLine(reason), 80)})`;
  });
  const left = skipped.length - shown.length;
  return [...shown, ...(left > 0 ? [`and ${left} more`] : [])].join(', ');
}

function shortReason(reason: string): string {
  return truncate(sanitizeLine(reason), MAX_REASON);
}

export function staleLines(stale: StalePhase | null): string[] {
  if (stale === null) return [];
  const file = truncate(sanitizeLine(stale.path), 80);
  return [
    `This replaces the Phase line of ${file}, which still says ${truncate(sanitizeLine(stale.says), 80)}.${stale.command === undefined ? '' : ` \`${stale.command}\` goes there.`}`,
  ];
}

/** A line as it stands has its own words for a status; only that it is blocked is said again. */
function statusText({ status, ...phase }: Phase): string {
  return isCounted({ ...phase, status }) || status === 'blocked' ? ` (${status})` : '';
}

export function phaseText({ phase }: RunState): string {
  if (!isCounted(phase)) return displayName(uncountedText(phase)) || 'not known';
  return `${phase.current}/${phase.total}${phase.name === '' ? '' : ` - ${displayName(phase.name)}`}`;
}

export function displayName(text: string): string {
  return truncate(sanitizeLine(text), MAX_NAME);
}

const WORTH_A_WARNING = 3;

/** Work that is sent back again and again is a question for the user; null before the third time. */
export function pivotWarning(state: RunState): string | null {
  const pivots = pivotsOf(state);
  if (pivots === null || pivots.made < WORTH_A_WARNING) return null;
  const { made, max } = pivots;
  return made < max
    ? `This run went back ${made} times, of ${max} that its template allows: tell the user what keeps sending it back.`
    : `This run went back ${made} times, which is all that its template allows: the next pivot is refused, and the user has to decide.`;
}

/** Why a run is blocked that cannot be sent back any more; null if that is not why, or if somebody gave a reason. */
export function pivotBlocker(state: RunState): string | null {
  const made = pivotsOf(state)?.made;
  const isExplained = (state.status_reason ?? '') !== '';
  if (made === undefined || isExplained || !isPivotRefused(state)) return null;
  return `the work was sent back ${made === 1 ? 'once' : `${made} times`}, which is all that its template allows`;
}

/** A reminder for a run of a plan that hooks do not read. */
export function planReminder(path: string): string {
  return `The plan of this run is ${path}: open it with the Read tool.`;
}

/** A note for the session that continues a run which its source no longer declares; an archived run has ended. */
export function sourceNote(run: StoredRun, sources: readonly SourceFile[]): string | null {
  if (isArchived(run)) return null;
  const { runId, state } = run;
  const [source] = ownSources(state, sources);
  const pathOf = (path = ''): string => truncate(sanitizeLine(path), 200);
  const path = pathOf(state.source?.path);
  const isPlan = state.source?.kind === 'plan';
  const statement = `${path} says that this workflow`;
  const end = `If the work is done, run \`holdfast complete ${runId}\`.`;
  switch (sourceStateOf(state, sources)) {
    case 'finished': {
      const plan = source?.movedTo
        ? `Its plan was moved to ${pathOf(source.movedTo)}, which`
        : `Its plan ${path}`;
      return `${isPlan ? `${plan} says that the work` : statement} is finished. ${end}`;
    }
    case 'gone':
      return `${isPlan ? `Its plan ${path} is gone.` : `${path} no longer declares this workflow.`} ${end}`;
    case 'cancelled':
      return `${statement} is cancelled. ${end}`;
    case 'paused':
      return `${statement} is paused.`;
    case 'not_started':
      return `${statement} has not started.`;
    case 'active': {
      const said = source && 'said' in source.reading ? source.reading.said : undefined;
      const { current, total, name } = said?.phase ?? {};
      const ours = state.phase.current;
      // The guidance says that it replaces a Phase line of the local file that is behind.
      const isTold = isPlan ? current !== ours : (current ?? 0) > ours;
      if (state.machine !== undefined || current === undefined || !isTold) return null;
      const label = `${current}${total === undefined ? '' : `/${total}`}${name ? ` - ${truncate(sanitizeLine(name), 80)}` : ''}`;
      return `${path} says phase ${label}; \`holdfast update ${runId} --phase ${current}\` goes there.`;
    }
    default:
      return null;
  }
}
