import { loadedDetails } from '../sessions/context-record.ts';
import { isActive } from '../sessions/select-run.ts';
import type { NewEvent } from '../state/journal.ts';
import type { Transaction } from '../state/store/store.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import type { ContextCommand } from '../templates/machine/machine-state.ts';
import { contextActionOf, passedBySteps } from '../templates/run-view.ts';
import { takeContextAction } from '../templates/template-run.ts';
import { endRun } from './end-run.ts';
import { callerSession, isHolder } from './target-run.ts';
import { pendingReading, type PendingReading } from '../guidance/reading/pending-reading.ts';
import { projectFiles, readingList, type ReadingEntry } from '../guidance/reading/reading-list.ts';
import { holderOf } from '../sessions/holder.ts';
import { FORMATS } from '../sources/parse/formats/all-formats.ts';
import { readProjectFile } from '../files/read-file.ts';
import { isPlanFormatId } from '../settings/settings.ts';
import { CompanionFiles } from '../sources/read-sources.ts';
import type { OperationContext } from './open-project.ts';
import { phasesBySection } from '../sources/parse/formats/phases.ts';
import type { PlanFormat, PlanSource } from '../sources/parse/formats/types.ts';
import { readLines, readOutline, splitFrontMatter } from '../sources/parse/field-line.ts';
import { isDone, type PlanPhase, planPhases } from '../sources/parse/plan-phases.ts';
import { pluralize } from '../text/relative-time.ts';
import { sanitizeLine } from '../text/sanitize.ts';

export interface Delivery {
  run: StoredRun;
  /** What the user has to type before the run goes on; null if nothing is due. */
  action: ContextCommand | null;
}

/** Saves a run that was moved and requests the context action due there. A run with nothing left to do is ended. */
export function saveProgress(
  context: OperationContext,
  tx: Transaction,
  run: StoredRun,
  moved: RunState,
  event: NewEvent,
): Delivery {
  const recorded = moveDetails(run.state, moved, event);
  if (moved.status === 'completed') {
    return { run: endRun(context, tx, run, moved, recorded, false), action: null };
  }
  const { state, action } = takeContextAction(moved, context.now.toISOString());
  return { run: tx.write(run, state, recorded), action };
}

/** For a person at a terminal: a context action stays due, because only the session that works on the run needs it. */
export function saveUndelivered(
  context: OperationContext,
  tx: Transaction,
  run: StoredRun,
  moved: RunState,
  event: NewEvent,
): StoredRun {
  const recorded = moveDetails(run.state, moved, event);
  return moved.status === 'completed'
    ? endRun(context, tx, run, moved, recorded, false)
    : tx.write(run, moved, recorded);
}

function moveDetails(before: RunState, after: RunState, event: NewEvent): NewEvent {
  return { ...event, ...passedByDetails(before, after), ...loadedDetails(before, after) };
}

/** For the journal: the steps that this move passed by, because their conditions were false. */
export function passedByDetails(
  before: RunState | null,
  after: RunState,
): { passed_by?: string[] } {
  const known = new Set((before === null ? [] : passedBySteps(before)).map(({ id }) => id));
  const passed = passedBySteps(after).filter(({ id }) => !known.has(id));
  return passed.length === 0 ? {} : { passed_by: passed.map(({ id }) => id) };
}

/** Marks a due context action as requested in the same write, so that it is asked for only once. */
export function deliverContextAction(
  context: OperationContext,
  tx: Transaction,
  run: StoredRun,
): Delivery {
  const { state, action } = takeContextAction(run.state, context.now.toISOString());
  return { run: action === null ? run : tx.write(run, state), action };
}

/** Showing a run to its holder requests the context action that is due; for anyone else nothing changes. */
export function viewRun(
  context: OperationContext,
  run: StoredRun,
  runs: readonly StoredRun[],
): Delivery {
  const session = callerSession(context, runs);
  if (session === null || !isDueFor(session, run)) return { run, action: null };
  return context.store.transaction((tx) => {
    const current = tx.reread(run);
    if (current === undefined) return { run, action: null };
    return isDueFor(session, current)
      ? deliverContextAction(context, tx, current)
      : { run: current, action: null };
  });
}

function isDueFor(session: string, run: StoredRun): boolean {
  return (
    holderOf(run.state) === session && isActive(run) && contextActionOf(run.state)?.state === 'due'
  );
}

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
  const companions = new CompanionFiles(root).read(format?.companions?.(path) ?? []);
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
