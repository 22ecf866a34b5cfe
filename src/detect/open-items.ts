import { phasesBySection } from './formats/phases.ts';
import type { PlanFormat, PlanSource } from './formats/types.ts';
import { readOutline } from './outline.ts';
import { isDone } from './phase-progress.ts';

/** How many items of a plan are open. Those of a phase that is marked as done count as done, and optional ones do not count. */
export function countOpenItems(source: PlanSource, format: PlanFormat | undefined): number {
  const outline = readOutline(source.text);
  const phases = format?.describe(source, outline)?.phases ?? phasesBySection(outline.sections);
  return phases
    .filter((phase) => !isDone(phase))
    .flatMap(({ boxes }) => boxes)
    .filter(({ state }) => state !== 'ticked').length;
}
