import type { StoredRun } from '../state/types.ts';
import { isHolder } from './target-run.ts';
import { pendingReading, type PendingReading } from '../guidance/reading/pending-reading.ts';
import { projectFiles, readingList, type ReadingEntry } from '../guidance/reading/reading-list.ts';
import { holderOf } from '../sessions/holder.ts';
import { FORMATS } from '../sources/parse/formats.ts';
import { readProjectFile } from '../files/read-file.ts';
import { isPlanFormatId } from '../settings/settings.ts';
import { SourceFiles } from '../sources/read-sources.ts';
import type { OperationContext } from './open-project.ts';
import {
  phasesBySection,
  readOutline,
  type PlanFormat,
  type PlanSource,
} from '../sources/parse/outline.ts';
import { readLines, splitFrontMatter } from '../sources/parse/field-line.ts';
import { isDone, type PlanPhase, planPhases } from '../sources/parse/plan-phases.ts';
import { pluralize } from '../text/relative-time.ts';
import { sanitizeLine } from '../text/sanitize.ts';

/** The required files that the holder of the run has not opened since a restore, and what hooks will do about it. */
export function pendingReads(
  { store, settings, root, launchFolder }: OperationContext,
  { state }: StoredRun,
): PendingReading | null {
  const receipt = store.hookState().receipts[holderOf(state) ?? ''];
  return receipt === undefined
    ? null
    : pendingReading(
        receipt,
        readingList(state, projectFiles(root, launchFolder)),
        settings.reading.enforce,
      );
}

/** The required files as the calling session has them. A person's terminal sees what the session that holds the run has. */
export function readingOf(context: OperationContext, run: StoredRun): ReadingEntry[] {
  const { context_metadata: _ofTheHolder, ...others } = run.state;
  const state = isOtherSession(context, run) ? others : run.state;
  return readingList(state, projectFiles(context.root, context.launchFolder));
}

/** Whether the caller is a session that does not hold the run: what its holder has read is not in its context. */
export function isOtherSession(context: OperationContext, run: StoredRun): boolean {
  return context.session !== null && !isHolder(context, run);
}

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
