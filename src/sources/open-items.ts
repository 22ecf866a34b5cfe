import { readProjectFile } from '../files/read-file.ts';
import { isPlanFormatId } from '../settings/settings.ts';
import { skippedPhases } from '../state/phases.ts';
import type { Run } from '../state/types.ts';
import { pluralize } from '../text/relative-time.ts';
import { asWord } from '../text/sanitize.ts';
import { readLines, splitFrontMatter } from './parse/field-line.ts';
import { FORMATS } from './parse/formats.ts';
import { type Outline, readOutline, sectionAsPhase } from './parse/outline.ts';
import {
  ANYWHERE,
  isOver,
  type PlanPhase,
  readPhases,
} from './parse/phases.ts';
import type { PlanFormat, PlanSource } from './parse/plan-format.ts';
import { describePlan } from './parse/read-format.ts';
import { SourceFiles } from './source-files.ts';

const MAX_PLAN_BYTES = 1_000_000;

interface OpenItems {
  /** The file that they are in. */
  path: string;
  count: number;
}

/** The items that are still open in the plan of a run, or in one of its phases; null if there are none. */
export function openItemsOf(
  { root }: { root: string },
  { state }: Run,
  phase?: string,
): OpenItems | null {
  const { source: from } = state;
  if (from?.kind !== 'plan' || from.path === undefined) return null;
  const { path, format: id } = from;
  const file = readProjectFile(root, path, MAX_PLAN_BYTES);
  if (file.kind !== 'text') return null;

  const format =
    typeof id === 'string' && isPlanFormatId(id) ? FORMATS[id] : undefined;
  const companions = new SourceFiles(root).texts(format?.companions?.(path));
  const source = { path, text: file.text, companions };
  const skipped = skippedPhases(state).map(({ name }) => name);
  const count = countOpenItems(source, format, phase, skipped);
  return count === 0 ? null : { path: format?.itemsFile ?? path, count };
}

/** Not those of a phase that is marked as done or skipped, or that the run has skipped, and no optional ones. */
export function countOpenItems(
  source: PlanSource,
  format: PlanFormat | undefined,
  only?: string,
  skipped: readonly string[] = [],
): number {
  let count = 0;
  for (const phase of phasesWithItems(source, format, only, skipped)) {
    const isWanted = only === undefined || phase.name === only;
    const isSkipped = phase.name ? skipped.includes(phase.name) : false;
    if (!isWanted || isSkipped || isOver(phase)) continue;
    count += phase.boxes.filter(({ state }) => state !== 'ticked').length;
  }
  return count;
}

/** As the tool that wrote the plan divides it. Of other plans, each section counts if no phase is asked for. */
function phasesWithItems(
  source: PlanSource,
  format: PlanFormat | undefined,
  only: string | undefined,
  skipped: readonly string[],
): PlanPhase[] {
  const described = format && describePlan(format, source)?.phases;
  if (described !== undefined) return described;
  if (only === undefined)
    return sectionsLeft(readOutline(source.text), skipped);
  const lines = readLines(splitFrontMatter(source.text).body);
  return readPhases(lines, ANYWHERE);
}

/** Every section, without those below a heading that is marked as over or names a skipped phase. */
function sectionsLeft(
  { sections }: Outline,
  skipped: readonly string[],
): PlanPhase[] {
  const left: PlanPhase[] = [];
  /** The level of the heading that ends what is over; none while nothing is. */
  let overFrom = Infinity;
  for (const section of sections) {
    const phase = sectionAsPhase(section);
    if (section.level <= overFrom) {
      const isSkipped = skipped.some((name) => isNamed(phase, name));
      // Whether the heading itself says so: a section with all its items done may have open ones below it.
      const isMarked = isOver({ ...phase, boxes: [] });
      // The title of the plan is no phase.
      const isTitle = section.level <= 1;
      const endsHere = !isTitle && (isSkipped || isMarked);
      overFrom = endsHere ? section.level : Infinity;
    }
    if (overFrom === Infinity) left.push(phase);
  }
  return left;
}

/** `Phase 3: Docs` is the heading of the phase `Docs`. */
function isNamed(phase: PlanPhase, name: string): boolean {
  return name !== '' && ` ${phase.name}`.endsWith(` ${name}`);
}

export function openItemsText({ path, count }: OpenItems): string {
  return `${pluralize(count, 'open item')} in ${asWord(path)}`;
}
