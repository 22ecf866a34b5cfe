import type { Heading, MarkdownLine } from '../markdown/types.ts';
import { cleanText, parseListItem, withoutDecoration, withoutMarks } from './field-line.ts';
import { splitStatus } from '../state/phase-line.ts';
import type { DeclaredWorkflow } from './types.ts';

const MAX_PHASES = 1_000;

/** The phases a plan has by its `Phase N` headings, and the one it is in. */
export function planPhases(lines: MarkdownLine[]): Pick<DeclaredWorkflow, 'phase' | 'phases'> {
  const phases = collectPhases(lines).slice(0, MAX_PHASES);
  if (phases.length === 0) return {};
  const standings = phases.map(standingOf);
  const underWay = standings.indexOf('under way');
  const current = underWay >= 0 ? underWay : standings.findIndex((standing) => standing !== 'done');
  const position = current >= 0 ? current : phases.length - 1;
  return {
    phase: {
      current: position + 1,
      total: phases.length,
      name: phases[position]?.name ?? '',
      status: current >= 0 ? 'in_progress' : 'completed',
    },
    phases: phases.map(({ name }) => name),
  };
}

/** `Phase 2.1` and `Phase 2a` are parts of a phase, not phases. */
export function isPhaseHeading(heading: Heading): boolean {
  return PHASE.test(withoutDecoration(heading.text));
}

const PHASE = /^phase\s{1,3}(\d{1,9})(?!\w|\.\d)/i;

type Standing = 'done' | 'under way' | 'open';

interface PlannedPhase {
  name: string;
  mark: Standing | undefined;
  boxes: ('open' | 'ticked')[];
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
    } else {
      const box = open && parseListItem(text)?.box;
      if (box) open?.phase.boxes.push(box);
    }
  }
  return [...phases.values()];
}

function enterPhase(phases: Map<number, PlannedPhase>, headingText: string): PlannedPhase {
  const { number, name, mark } = readPhaseHeading(headingText);
  const known = phases.get(number);
  if (known) {
    known.mark ??= mark;
    return known;
  }
  const phase: PlannedPhase = { name, mark, boxes: [] };
  phases.set(number, phase);
  return phase;
}

function readPhaseHeading(text: string): {
  number: number;
  name: string;
  mark: Standing | undefined;
} {
  const heading = cleanText(withoutDecoration(text));
  const [prefix = '', digits = ''] = PHASE.exec(heading) ?? [];
  const afterNumber = heading.slice(prefix.length).replace(/^[\s:.)|–—-]*/, '');
  const { status, rest } = splitStatus(withoutMarks(afterNumber));
  const name = withoutMarks(rest) || `Phase ${Number(digits)}`;
  return { number: Number(digits), name, mark: markIn(text) ?? (status && STANDINGS[status]) };
}

const STANDINGS = {
  completed: 'done',
  in_progress: 'under way',
  blocked: 'open',
  not_started: 'open',
} as const;

function markIn(text: string): Standing | undefined {
  if (/[✅☑✔]|\[[xX]\]/.test(text)) return 'done';
  if (/🔄|⏳/.test(text)) return 'under way';
  return /⬜|\[ \]/.test(text) ? 'open' : undefined;
}

function standingOf({ mark, boxes }: PlannedPhase): Standing {
  return mark ?? (boxes.length > 0 && !boxes.includes('open') ? 'done' : 'open');
}
