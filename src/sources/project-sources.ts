import { readArchivedRun, TakenIds } from '../state/store/list-runs.ts';
import { stateFile } from '../state/paths.ts';
import { readSyncInput, SourceFiles } from './read-sources.ts';
import { planSync, type SyncPlan } from './plan-sync.ts';
import type { SourceFile, SyncChange, SyncInput } from './types.ts';
import { slugOf } from '../text/slug.ts';
import { skippedPhases } from '../state/phases.ts';
import type { StoredRun } from '../state/types.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import { FORMATS } from './parse/formats.ts';
import { readProjectFile } from '../files/read-file.ts';
import { isPlanFormatId } from '../settings/settings.ts';
import {
  phaseOf,
  readOutline,
  type OutlineSection,
  type PlanFormat,
  type PlanSource,
} from './parse/outline.ts';
import { readLines, splitFrontMatter } from './parse/field-line.ts';
import { isOver, type PlanPhase, planPhases } from './parse/plan-phases.ts';
import { pluralize } from '../text/relative-time.ts';
import { sanitizeLine } from '../text/sanitize.ts';

/** The workflows that sources declare and that no state file has yet. */
export function findDetectedRuns(
  context: OperationContext,
  runs: readonly StoredRun[],
): DetectedRun[] {
  return detectedRuns(context, planSync(syncInput(context, runs)).changes);
}

export function syncInput(context: OperationContext, runs: readonly StoredRun[]): SyncInput {
  return readSyncInput(context, { runs, sourceRecords: context.store.sourceRecords() }).input;
}

/** Reads the sources and plans the sync. Nothing is written. */
export function previewSync(
  context: OperationContext,
  runs: readonly StoredRun[],
): SyncPlan & { sources: readonly SourceFile[] } {
  const sourceRecords = context.store.sourceRecords();
  const { input, problems } = readSyncInput(context, { runs, sourceRecords });
  for (const { message } of problems) context.warn(message);
  return { sources: input.sources, ...planSync(input) };
}

/** A workflow that sources declare and that is not stored yet. */
export interface DetectedRun {
  /** The run that it becomes once it is stored. */
  run: StoredRun;
  change: Extract<SyncChange, { kind: 'create' }>;
}

/** In the order in which they would be stored, because that decides the ids of workflows with the same name. */
export function detectedRuns(
  { store, now }: Pick<OperationContext, 'store' | 'now'>,
  changes: readonly SyncChange[],
): DetectedRun[] {
  const taken = new TakenIds();
  return changes.flatMap((change): DetectedRun[] => {
    if (change.kind !== 'create') return [];
    const { state, archivedRunId } = change;
    const returned =
      archivedRunId === undefined ? undefined : readArchivedRun(store.root, archivedRunId);
    const slug = returned?.slug ?? slugOf(state.workflow);
    const runId = returned?.runId ?? taken.take(store.root, slug, new Date(state.created_at));
    const run = {
      slug,
      runId,
      path: stateFile({ slug, runId }),
      state: { ...state, run_id: runId },
      modifiedAt: now.getTime(),
    };
    return [{ run, change }];
  });
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
  { state }: StoredRun,
  phase?: string,
): OpenItems | null {
  const { source: from } = state;
  if (from?.kind !== 'plan' || from.path === undefined) return null;
  const { path, format: id } = from;
  const file = readProjectFile(root, path, MAX_BYTES);
  if (file.kind !== 'text') return null;
  const format = typeof id === 'string' && isPlanFormatId(id) ? FORMATS[id] : undefined;
  const companions = new SourceFiles(root).texts(format?.companions?.(path));
  const source = { path, text: file.text, companions, exists: () => true };
  const skipped = skippedPhases(state).map(({ name }) => name);
  const count = countOpenItems(source, format, phase, skipped);
  return count === 0 ? null : { path: format?.itemsFile ?? path, count };
}

/**
 * How many items of a plan, or of one of its phases, are open. Those of a phase that is marked as done or skipped, or
 * that the run has skipped, are not, and optional ones do not count.
 */
export function countOpenItems(
  source: PlanSource,
  format: PlanFormat | undefined,
  only?: string,
  skipped: readonly string[] = [],
): number {
  const outline = readOutline(source.text);
  const own = (): PlanPhase[] =>
    only === undefined
      ? sectionsLeft(outline.sections, skipped)
      : planPhases(readLines(splitFrontMatter(source.text).body));
  const phases = format?.describe(source, outline)?.phases ?? own();
  return phases
    .filter((phase) => !isOver(phase) && !(phase.name && skipped.includes(phase.name)))
    .filter((phase) => only === undefined || phase.name === only)
    .flatMap(({ boxes }) => boxes)
    .filter(({ state }) => state !== 'ticked').length;
}

/** Every section, without those below a heading that is marked as over or names a skipped phase. */
function sectionsLeft(
  sections: readonly OutlineSection[],
  skipped: readonly string[],
): PlanPhase[] {
  let overFrom = Infinity;
  return sections.flatMap((section) => {
    const phase = phaseOf(section, section.heading);
    const isNamed = skipped.some((name) => name !== '' && ` ${phase.name}`.endsWith(` ${name}`));
    if (section.level <= overFrom)
      overFrom =
        section.level > 1 && (isNamed || isOver({ ...phase, boxes: [] }))
          ? section.level
          : Infinity;
    return overFrom === Infinity ? [phase] : [];
  });
}

/** What is left in the plan of a run. */
export function openItemsText({ path, count }: { path: string; count: number }): string {
  return `${pluralize(count, 'open item')} in ${sanitizeLine(path)}`;
}
