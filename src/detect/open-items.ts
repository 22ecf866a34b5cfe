import { phasesBySection } from './formats/phases.ts';
import type { PlanFormat, PlanSource } from './formats/types.ts';
import { readLines } from './field-line.ts';
import { readOutline, splitFrontMatter } from './outline.ts';
import { isDone, type PlanPhase } from './phase-progress.ts';
import { planPhases } from './plan-phases.ts';

/** How many items of a plan, or of one of its phases, are open. Those of a phase that is marked as done count as done, and optional ones do not count. */
export function countOpenItems(
  source: PlanSource,
  format: PlanFormat | undefined,
  only?: string,
): number {
  const outline = readOutline(source.text);
  const own = (): PlanPhase[] =>
    only === undefined
      ? phasesBySection(outline.sections)
      : planPhases(readLines(splitFrontMatter(source.text).body));
  const phases = format?.describe(source, outline)?.phases ?? own();
  return phases
    .filter((phase) => !isDone(phase) && (only === undefined || phase.name === only))
    .flatMap(({ boxes }) => boxes)
    .filter(({ state }) => state !== 'ticked').length;
}
