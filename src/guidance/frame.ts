import type { RunState } from '../state/types.ts';
import type { LineList, Section } from './budget.ts';
import type { GuidanceInput, StalePhase } from './input.ts';
import { sanitizeLine, truncate } from '../util/sanitize.ts';

const MAX_NAME = 160;

/** The first section. Together with frameLists it is the frame: the part of the guidance that stays the same within a step. */
export function headSection({ title, run, stalePhase }: GuidanceInput): Section {
  const { workflow, workflow_type: type, phase } = run.state;
  const lines = [
    title,
    '',
    `Workflow: ${displayName(workflow)}`,
    ...(type === 'custom' ? [] : [`Type: ${displayName(type)}`]),
    `Phase: ${phaseText(run.state)} (${phase.status})`,
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
