import { failureOf } from '../state/failure.ts';
import { skippedPhases } from '../state/phases.ts';
import type { RunState } from '../state/types.ts';
import { templateNameOf, triesAllowed } from '../workflow/run-view.ts';
import type { LineList, Section } from './budget.ts';
import type { GuidanceInput, StalePhase } from './input.ts';
import { pivotBlocker } from './pivot-warning.ts';
import { sanitizeLine, truncate } from '../util/sanitize.ts';

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
    `Phase: ${phaseText(state)} (${state.phase.status})${afterStatus(state)}`,
    ...(skipped === null ? [] : [`Skipped, not done: ${skipped}`]),
  ];
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
    `This replaces the Phase line of ${file}, which still says ${truncate(sanitizeLine(stale.says), 80)}.`,
  ];
}

export function phaseText({ phase }: RunState): string {
  return `${phase.current}/${phase.total}${phase.name === '' ? '' : ` - ${displayName(phase.name)}`}`;
}

export function displayName(text: string): string {
  return truncate(sanitizeLine(text), MAX_NAME);
}
