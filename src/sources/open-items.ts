import type { StoredRun } from '../state/types.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import { FORMATS } from './parse/formats.ts';
import { readProjectFile } from '../files/read-file.ts';
import { isPlanFormatId } from '../settings/settings.ts';
import { SourceFiles } from './read-sources.ts';
import { phasesBySection, readOutline, type PlanFormat, type PlanSource } from './parse/outline.ts';
import { readLines, splitFrontMatter } from './parse/field-line.ts';
import { isDone, type PlanPhase, planPhases } from './parse/plan-phases.ts';
import { pluralize } from '../text/relative-time.ts';
import { sanitizeLine } from '../text/sanitize.ts';

export interface OpenItems {
  /** The file that they are in. */
  path: string;
  count: number;
}

const MAX_BYTES = 1_000_000;

/** The items that are still open in the plan of a run, or in one of its phases; null if there are none. */
export function openItemsOf(
  { root }: Pick<OperationContext, 'root'>,
  { state: { source: from } }: StoredRun,
  phase?: string,
): OpenItems | null {
  if (from?.kind !== 'plan' || from.path === undefined) return null;
  const { path } = from;
  const file = readProjectFile(root, path, MAX_BYTES);
  if (file.kind !== 'text') return null;
  const { format: id } = from;
  const format = typeof id === 'string' && isPlanFormatId(id) ? FORMATS[id] : undefined;
  const companions = new SourceFiles(root).texts(format?.companions?.(path));
  const count = countOpenItems(
    { path, text: file.text, companions, exists: () => true },
    format,
    phase,
  );
  return count === 0 ? null : { path: format?.itemsFile ?? path, count };
}

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

/** What is left in the plan of a run. */
export function openItemsText({ path, count }: { path: string; count: number }): string {
  return `${pluralize(count, 'open item')} in ${sanitizeLine(path)}`;
}
