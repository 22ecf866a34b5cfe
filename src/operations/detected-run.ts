import { readArchivedRun } from '../state/store/list-runs.ts';
import { FreeRunIds } from '../state/store/unique-names.ts';
import { FORMATS } from '../sources/parse/formats.ts';
import { selectRun } from '../sessions/choose-run.ts';
import { isPlanFormatId } from '../settings/settings.ts';
import { stateFile } from '../state/paths.ts';
import type { StoredRun } from '../state/types.ts';
import { syncRuns } from '../sources/apply-sync.ts';
import { SourceFiles, readSyncInput } from '../sources/read-sources.ts';
import { endedSources, planSync } from '../sources/plan-sync.ts';
import type { EndedSource } from '../sources/source-records.ts';
import type { SourceFile, SyncChange, SyncInput } from '../sources/types.ts';
import { slugOf } from '../text/slug.ts';
import { ambiguousRunError, findNamedRun, notOwnError } from './named-run.ts';
import { isRunByAgent, type OperationContext } from './open-project.ts';

/**
 * A workflow that a local file or a plan declares can be changed before any hook has stored it: if the command means
 * one of those, the runs are brought up to what the sources declare, as at a compaction.
 */
export function storeIfDetected(
  context: OperationContext,
  name: string | undefined,
  /** Throws if the command refuses the run: then nothing is stored. */
  requireAllowed: (meant: StoredRun) => void = () => undefined,
): void {
  const { runs } = context.store.list();
  if (name !== undefined && runs.some(({ runId }) => runId === name.trim())) return;
  const input = syncInput(context, runs);
  const detected = detectedRuns(context, planSync(input));
  if (detected.length === 0) return;
  const meant = meantRun(context, runs, detected, name);
  if (meant === null || !detected.some(({ run }) => run === meant)) return;
  requireAllowed(meant);
  const { runId, state } = storeMeant(context, input, meant);
  context.warn(
    `stored "${state.workflow}" as ${runId}; it was only declared in ${state.source?.path ?? 'a file'}`,
  );
}

/** The run that a command which changes one would change, stored or not; null if no run matches. Nothing is written. */
export function previewTarget(
  context: OperationContext,
  name: string | undefined,
): StoredRun | null {
  const { runs } = context.store.list();
  return meantRun(context, runs, findDetectedRuns(context, runs), name);
}

/** The workflows that sources declare and that no state file has yet. */
export function findDetectedRuns(
  context: OperationContext,
  runs: readonly StoredRun[],
): DetectedRun[] {
  return detectedRuns(context, planSync(syncInput(context, runs)));
}

function syncInput(context: OperationContext, runs: readonly StoredRun[]): SyncInput {
  return readSyncInput(context, { runs, sourceRecords: context.store.sourceRecords() }).input;
}

/** Null if no run matches. */
function meantRun(
  context: OperationContext,
  runs: readonly StoredRun[],
  detected: readonly DetectedRun[],
  name: string | undefined,
): StoredRun | null {
  const all = [...runs, ...detected.map(({ run }) => run)];
  const found =
    name === undefined
      ? selectRun(all, { ...context, isAgent: isRunByAgent(context), purpose: 'write' })
      : findNamedRun(context, runs, name, detected);
  if (found.kind === 'ambiguous') throw ambiguousRunError(name ?? null, found.runs);
  if (found.kind === 'not_own') throw notOwnError(context, found.runs);
  return found.kind === 'run' ? found.run : null;
}

/** One sync stores only so many runs, so it is repeated until the one that is meant is among them. */
function storeMeant(context: OperationContext, input: SyncInput, meant: StoredRun): StoredRun {
  const { unreadable } = context.store.list();
  for (let count = input.runs.length; ;) {
    const runs = syncRuns(context.store, input, { by: context.by, unreadable });
    const stored = runs.find(
      ({ runId, state }) =>
        runId === meant.runId ||
        (state.source?.path === meant.state.source?.path &&
          state.workflow === meant.state.workflow),
    );
    if (stored !== undefined || runs.length <= count) return stored ?? meant;
    count = runs.length;
  }
}

/** Workflows whose plan the pointer of its tool names come first: that is what the user works on. */
export function pointedFirst(
  { root }: Pick<OperationContext, 'root'>,
  detected: readonly DetectedRun[],
): DetectedRun[] {
  const files = new SourceFiles(root);
  const isPointedTo = ({ change }: DetectedRun): boolean =>
    change.updates.some(({ source: { path, format = '' } }) => {
      if (!isPlanFormatId(format)) return false;
      const { companions, isPointedTo: isNamed } = FORMATS[format];
      const source = {
        path,
        text: '',
        companions: files.texts(companions?.(path)),
        exists: () => false,
      };
      return isNamed?.(source) ?? false;
    });
  const named = new Set(detected.filter(isPointedTo));
  return [...named, ...detected.filter((each) => !named.has(each))];
}

interface SyncPreview {
  sources: readonly SourceFile[];
  /** What the next compaction would change. */
  changes: SyncChange[];
  /** The sources whose run has ended, and that only offer another one. */
  ended: EndedSource[];
}

/** Reads the sources and plans the sync. Nothing is written. */
export function previewSync(context: OperationContext, runs: readonly StoredRun[]): SyncPreview {
  const sourceRecords = context.store.sourceRecords();
  const { input, problems } = readSyncInput(context, { runs, sourceRecords });
  for (const { message } of problems) context.warn(message);
  return { sources: input.sources, changes: planSync(input), ended: endedSources(input) };
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
  const ids = new FreeRunIds(store.root);
  return changes.flatMap((change): DetectedRun[] => {
    if (change.kind !== 'create') return [];
    const { state, archivedRunId } = change;
    const returned =
      archivedRunId === undefined ? undefined : readArchivedRun(store.root, archivedRunId);
    const slug = returned?.slug ?? slugOf(state.workflow);
    const runId = returned?.runId ?? ids.take(slug, new Date(state.created_at));
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
