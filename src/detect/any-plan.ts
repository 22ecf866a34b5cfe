import { numberedHeading, phasesByHeading, phasesBySection } from './formats/phases.ts';
import { nextItem, toNamedPhase } from './formats/read-format.ts';
import type { PlanPhase } from './formats/types.ts';
import { readOutline, type Outline } from './outline.ts';
import { declarePhases } from './phase-progress.ts';
import type { DeclaredWorkflow } from './types.ts';

/**
 * Any Markdown plan with headings and boxes, or with numbered headings alone, as a person hands it over to start a run.
 * A plan that nobody has begun is fine here. Null if nothing in it looks like a phase or an item.
 */
export function readAnyPlan(text: string): DeclaredWorkflow | null {
  const outline = readOutline(text);
  const phases = phasesIn(outline);
  if (phases.length === 0) return null;
  const { phase, phases: names } = declarePhases(phases.map(toNamedPhase));
  const next = nextItem(phases[(phase?.current ?? 1) - 1]);
  const hasNames = phases.every(({ name }) => name !== undefined);
  return {
    workflow:
      (outline.title ?? '').replace(/^(?:task |implementation )?plan\s*[:–—-]\s*/i, '') || 'Plan',
    ...(phase && { phase }),
    ...(names && hasNames && { phases: names }),
    required_reading: [],
    key_reminders: [],
    context: next === undefined ? {} : { next_item: next },
  };
}

const WORDS = ['Phase', 'Stage', 'Milestone', 'Task', 'Step'];

/** The numbered headings of the widest unit, else the sections that have boxes. */
function phasesIn({ sections }: Outline): PlanPhase[] {
  for (const word of WORDS) {
    const phases = phasesByHeading(sections, numberedHeading(word));
    if (phases.length > 1) return phases;
  }
  return phasesBySection(sections);
}
