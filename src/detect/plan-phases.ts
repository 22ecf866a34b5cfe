import type { Heading, MarkdownLine } from '../markdown/types.ts';
import { splitStatus } from '../state/phase-line.ts';
import { cleanText, parseListItem, withoutDecoration, withoutMarks } from './field-line.ts';
import { markIn, type Mark } from './marks.ts';
import type { DeclaredWorkflow } from './types.ts';

const MAX_PHASES = 1_000;

/** The phases of a plan by its `Phase N` headings, and the current one. */
export function planPhases(
  lines: MarkdownLine[],
  title: MarkdownLine | undefined,
): Pick<DeclaredWorkflow, 'phase' | 'phases'> {
  const phases = collectPhases(lines.filter((line) => line !== title)).slice(0, MAX_PHASES);
  if (phases.length === 0) return {};
  const current = currentIndex(phases);
  const index = current ?? phases.length - 1;
  return {
    phase: {
      current: index + 1,
      total: phases.length,
      name: phases[index]?.name ?? '',
      status: current === undefined ? 'completed' : 'in_progress',
    },
    phases: phases.map(({ name }) => name),
  };
}

/** `Phase 2.1` and `Phase 2a` are parts of a phase, not phases. */
export function isPhaseHeading(heading: Heading): boolean {
  return PHASE.test(withoutDecoration(heading.text));
}

const PHASE = /^phase\s{1,3}(\d{1,9})(?!\w|\.\d)/i;

interface PlannedPhase {
  name: string;
  /** The mark on its heading. */
  mark: Mark | undefined;
  boxes: ('open' | 'ticked')[];
}

/** Returns undefined if every phase is done. */
function currentIndex(phases: PlannedPhase[]): number | undefined {
  const lastMarkedDone = phases.findLastIndex(({ mark }) => mark === 'done');
  const candidates = [
    phases.findIndex(({ mark }) => mark === 'under way'),
    phases.findIndex((phase, index) => index > lastMarkedDone && !isDone(phase)),
    phases.findIndex((phase) => !isDone(phase) && phase.boxes.includes('open')),
    phases.findIndex((phase) => !isDone(phase)),
  ];
  return candidates.find((index) => index >= 0);
}

function isDone({ mark, boxes }: PlannedPhase): boolean {
  return mark === undefined ? boxes.length > 0 && !boxes.includes('open') : mark === 'done';
}

function collectPhases(lines: MarkdownLine[]): PlannedPhase[] {
  const phases = new Map<number, PlannedPhase>();
  let open: { phase: PlannedPhase; level: number } | undefined;
  for (const { kind, text, heading } of lines) {
    if (kind === 'code') continue;
    if (heading && isPhaseHeading(heading)) {
      open = { phase: enterPhase(phases, heading.text), level: heading.level };
    } else if (heading && open && heading.level <= open.level) {
      open = undefined;
    } else if (open) {
      const item = parseListItem(text);
      // A box without text is one whose task was struck out.
      if (item?.box && item.text !== '') open.phase.boxes.push(item.box);
    }
  }
  return [...phases.values()];
}

/** A later heading with the same number, such as a summary, belongs to the same phase. */
function enterPhase(phases: Map<number, PlannedPhase>, headingText: string): PlannedPhase {
  const { number, name, mark } = parsePhaseHeading(headingText);
  const known = phases.get(number);
  if (known) {
    known.mark ??= mark;
    return known;
  }
  const phase: PlannedPhase = { name, mark, boxes: [] };
  phases.set(number, phase);
  return phase;
}

function parsePhaseHeading(text: string): { number: number; name: string; mark?: Mark } {
  const heading = cleanText(withoutDecoration(text));
  const [prefix = '', digits = ''] = PHASE.exec(heading) ?? [];
  const afterNumber = heading.slice(prefix.length).replace(/^[\s:.)|–—-]*/, '');
  const { status, rest } = splitStatus(withoutMarks(afterNumber));
  const name = withoutMarks(rest) || `Phase ${Number(digits)}`;
  const mark = markIn(text) ?? (status && MARK_OF_STATUS[status]);
  return { number: Number(digits), name, ...(mark && { mark }) };
}

const MARK_OF_STATUS = {
  completed: 'done',
  in_progress: 'under way',
  blocked: 'open',
  not_started: 'open',
} as const;
