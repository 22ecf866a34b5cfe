import type { StoredRun } from '../state/types.ts';
import { sameJson } from '../util/json.ts';
import type { RunDraft } from './drafts.ts';
import { declaredFor, isUnchangedSince, recordOfPlan, recordOfSource } from './source-records.ts';
import { isEdited, isSourceOf, sourceStateOf } from './source-state.ts';
import type { SourceFile, SourceUpdate, SyncChange, SyncInput } from './types.ts';

type Ending = Extract<SyncChange, { kind: 'complete' | 'archive' }>;

/** The runs that end because their source says finished, or no longer declares them. */
export function planEndings(drafts: readonly RunDraft[], input: SyncInput): Ending[] {
  const indexed = indexSources(input);
  return drafts.flatMap((draft) => endingOf(draft, indexed));
}

/** With a thousand runs and plans, looking through all sources for each run would take most of the time. */
interface IndexedSources extends SyncInput {
  finished: readonly SourceFile[];
  byPath: ReadonlyMap<string, readonly SourceFile[]>;
}

function indexSources(input: SyncInput): IndexedSources {
  const byPath = new Map<string, SourceFile[]>();
  for (const source of input.sources)
    byPath.set(source.path, [...(byPath.get(source.path) ?? []), source]);
  const finished = input.sources.filter(({ reading }) => reading.state === 'finished');
  return { ...input, finished, byPath };
}

/** A run that only hooks have written ends with its source; another one is kept, and its guidance says so. */
function endingOf({ run, state, updates }: RunDraft, input: IndexedSources): Ending[] {
  if (run === null) return [];
  const { sourceRecords } = input;
  const finished = input.finished.find((source) => isFinishedSourceOf(run, source, input));
  const says = sourceStateOf(run, input.byPath.get(run.state.source?.path ?? '') ?? []);
  const isLeft = updates.length === 0 && (says === 'gone' || says === 'inactive');
  if (finished === undefined && (!isLeft || state.source?.replaced_by !== undefined)) return [];
  if (isEdited(run.state, declaredFor(sourceRecords, run.runId))) return [];
  if (finished !== undefined) {
    const isOverruled = updates.some((update) => isNewer(update, finished, run, input));
    return isOverruled ? [] : [{ kind: 'complete', run, source: finished, updates }];
  }
  const path = run.state.source?.path ?? '';
  const kind =
    says === 'inactive' ? 'inactive' : run.state.source?.kind === 'plan' ? 'gone' : 'not_declared';
  return [{ kind: 'archive', run, reason: { kind, path } }];
}

function isFinishedSourceOf(run: StoredRun, source: SourceFile, input: SyncInput): boolean {
  if (isSourceOf(run.state, source)) return true;
  const declared = 'said' in source.reading ? source.reading.said : undefined;
  const record =
    source.kind === 'plan'
      ? recordOfPlan(input.sourceRecords, source.path)
      : declared && recordOfSource(input.sourceRecords, { source, declared });
  return record !== undefined && record.away !== true && record.run_id === run.runId;
}

/** Whether a source that still declares the run was edited after the other one declared it finished. */
function isNewer(
  update: SourceUpdate,
  finished: SourceFile,
  run: StoredRun,
  { sourceRecords }: SyncInput,
): boolean {
  const record = recordOfSource(sourceRecords, update);
  if (record?.run_id === run.runId && isUnchangedSince(update, record)) return false;
  const isOwnUnchanged =
    isSourceOf(run.state, update.source) && sameJson(run.state.source?.said, update.declared);
  if (isOwnUnchanged) return false;
  const { modifiedAt = Infinity } = update.source;
  return modifiedAt >= (finished.modifiedAt ?? 0);
}
