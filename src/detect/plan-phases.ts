import type { Heading, MarkdownLine } from '../markdown/types.ts';
import { splitStatus } from '../state/phase-line.ts';
import {
  cleanText,
  parseField,
  parseListItem,
  withoutDecoration,
  withoutMarks,
} from './field-line.ts';
import { markIn, markOfStatus, type Mark } from './marks.ts';
import { statusOfValue } from './plan-status.ts';
import { declarePhases, type NamedPhase } from './phase-progress.ts';
import type { DeclaredWorkflow } from './types.ts';

/** The phases of a plan by its `Phase N` headings, and the current one. */
export function planPhases(
  lines: MarkdownLine[],
  title: MarkdownLine | undefined,
): Pick<DeclaredWorkflow, 'phase' | 'phases'> {
  return declarePhases(collectPhases(lines.filter((line) => line !== title)));
}

/** `Phase 2.1` and `Phase 2a` are parts of a phase, not phases. */
export function isPhaseHeading(heading: Heading): boolean {
  return PHASE.test(withoutDecoration(heading.text));
}

const PHASE = /^phase\s{1,3}(\d{1,9})(?!\w|\.\d)/i;

function collectPhases(lines: MarkdownLine[]): NamedPhase[] {
  const phases = new Map<number, NamedPhase>();
  let open: { phase: NamedPhase; level: number } | undefined;
  // A status below another heading is that of a task.
  let isDirectlyBelow = false;
  for (const { kind, text, heading } of lines) {
    if (kind === 'code') continue;
    if (heading && isPhaseHeading(heading)) {
      open = { phase: enterPhase(phases, heading.text), level: heading.level };
      isDirectlyBelow = true;
    } else if (heading && open && heading.level <= open.level) {
      open = undefined;
    } else if (open) {
      if (heading) isDirectlyBelow = false;
      const item = parseListItem(text);
      if (isDirectlyBelow && !item?.box) open.phase.mark ??= statusMark(text);
      // A box without text is one whose task was struck out.
      if (item?.box && item.text !== '') open.phase.boxes.push(item.box);
    }
  }
  return [...phases.values()];
}

/** A later heading with the same number, such as a summary, belongs to the same phase. */
function enterPhase(phases: Map<number, NamedPhase>, headingText: string): NamedPhase {
  const { number, name, mark } = parsePhaseHeading(headingText);
  const known = phases.get(number);
  if (known) {
    known.mark ??= mark;
    return known;
  }
  const phase: NamedPhase = { name, mark, boxes: [] };
  phases.set(number, phase);
  return phase;
}

/** `**Status**: ✅ Complete` below a heading that has no mark of its own. */
function statusMark(text: string): Mark | undefined {
  const field = parseField(text);
  if (field?.label !== 'status' || field.value === '') return undefined;
  switch (statusOfValue(field.value)) {
    case 'finished':
      return 'done';
    case 'in progress':
      return 'under way';
    default:
      return 'open';
  }
}

function parsePhaseHeading(text: string): { number: number; name: string; mark?: Mark } {
  const heading = cleanText(withoutDecoration(text));
  const [prefix = '', digits = ''] = PHASE.exec(heading) ?? [];
  const afterNumber = heading.slice(prefix.length).replace(/^[\s:.)|–—-]*/, '');
  const { status, rest } = splitStatus(withoutMarks(afterNumber));
  const name = withoutMarks(rest) || `Phase ${Number(digits)}`;
  const mark = markIn(text) ?? (status && markOfStatus(status));
  return { number: Number(digits), name, ...(mark && { mark }) };
}
