import { isHeldByLiveSession, type LivenessContext } from '../sessions/holder.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { sameJson } from '../util/json.ts';
import { slugOf } from '../util/slug.ts';
import { RunDrafts, type RunDraft } from './drafts.ts';
import { mergeDeclared } from './merge.ts';
import { parseDeclared } from './parse-declared.ts';
import { hasRecord, recordOfSource, type SourceRecord } from './source-records.ts';
import type { SourceFile, SourceUpdate, SyncChange, SyncInput } from './types.ts';

/** What has to change so that the runs agree with their sources. Pure: `syncRuns` applies it, `status` shows it. */
export function planSync(input: SyncInput): SyncChange[] {
  const drafts = applySources(input);
  const merged = drafts.flatMap(({ run, state, updates, isChanged }): SyncChange[] => {
    if (!isChanged) return [];
    return [
      run === null ? { kind: 'create', state, updates } : { kind: 'update', run, state, updates },
    ];
  });
  const declaredRuns = new Set(
    drafts.filter(({ updates }) => updates.length > 0).map(({ run }) => run),
  );
  const finished = input.sources.filter(({ reading }) => reading.state === 'finished');
  const byPath = groupByPath(finished);
  const archived = input.runs.flatMap((run): SyncChange[] => {
    const source = byPath.get(run.state.source?.path ?? '')?.find((from) => isRunOf(run, from));
    const isOver = source !== undefined && !declaredRuns.has(run) && isUntouched(run, input);
    return isOver ? [{ kind: 'archive', run, source }] : [];
  });
  // A finished source that becomes active again starts a new run, even if it declares the same as before.
  const forgotten = finished
    .filter((source) => hasRecord(input.sourceRecords, source))
    .map((source): SyncChange => ({ kind: 'forget', source }));
  return [...merged, ...archived, ...forgotten];
}

/** The sources that declare this run now. */
export function sourcesFor(run: StoredRun, input: SyncInput): SourceUpdate[] {
  return applySources(input).find((draft) => draft.run?.runId === run.runId)?.updates ?? [];
}

/** Runs that only hooks have written and that no source declares any more: they are kept, but not restored. */
export function dormantRuns(
  { sources, runs }: Pick<SyncInput, 'sources' | 'runs'>,
  context: LivenessContext,
): ReadonlySet<string> {
  const byPath = groupByPath(sources);
  const isDormant = (run: StoredRun): boolean => {
    const { source } = run.state;
    if (source?.path === undefined || source.kind === 'template') return false;
    if (!isUntouched(run, context)) return false;
    const now = byPath.get(source.path) ?? [];
    const slug = slugOf(run.state.workflow);
    return !now.some(
      ({ reading }) =>
        reading.state === 'unreadable' ||
        (reading.state === 'active' &&
          (source.kind !== 'local-file' || slugOf(reading.said.workflow) === slug)),
    );
  };
  return new Set(runs.filter(isDormant).map((run) => run.runId));
}

/** The local file is one source for each of its sections. */
function groupByPath(sources: readonly SourceFile[]): Map<string, SourceFile[]> {
  const byPath = new Map<string, SourceFile[]>();
  for (const source of sources) {
    const known = byPath.get(source.path);
    if (known) known.push(source);
    else byPath.set(source.path, [source]);
  }
  return byPath;
}

/** Sources are applied in order, so that a second one finds the run that the first one created. */
function applySources(input: SyncInput): RunDraft[] {
  const drafts = new RunDrafts(input);
  for (const source of input.sources) {
    if (source.reading.state === 'active')
      applySource({ source, declared: source.reading.said }, drafts, input);
  }
  return drafts.all;
}

function applySource(update: SourceUpdate, drafts: RunDrafts, input: SyncInput): void {
  const { source, declared } = update;
  const record = recordOfSource(input.sourceRecords, update);
  const draft = drafts.find(update);
  if (draft === undefined) {
    const hasEnded = record !== undefined && isUnchangedSince(update, record);
    if (!hasEnded) drafts.add(newState(update, input.now), update);
    return;
  }

  const before = draft.state;
  const isOwnSource = before.source?.path === source.path;
  draft.updates.push(update);
  // An unchanged source changes nothing, so no merge is needed.
  if (isOwnSource && sameJson(before.source?.said, declared)) return;

  const recorded = record?.run_id === draft.run?.runId ? record?.said : undefined;
  const base = parseDeclared(isOwnSource ? before.source?.said : recorded);
  const merged = mergeDeclared(before, declared, base);
  const becomesSource = isOwnSource || drafts.isOrphan(before.source?.path);
  const kind = before.source?.kind === 'template' ? 'template' : source.kind;
  draft.state = becomesSource
    ? {
        ...merged,
        source: {
          ...merged.source,
          kind,
          path: source.path,
          ...formatIn(source),
          said: { ...declared },
        },
      }
    : merged;
  // A source that changes nothing in the run still needs a record of what it declares.
  const needsRecord = !becomesSource && !sameJson(recorded, declared);
  draft.isChanged ||= needsRecord || !sameJson(draft.state, before);
}

/** A plan whose text is the same counts as unchanged, even if a file that it mentions was created or deleted. */
function isUnchangedSince({ source, declared }: SourceUpdate, record: SourceRecord): boolean {
  const digest = source.fingerprint?.digest;
  return (
    sameJson(record.said, declared) || (digest !== undefined && digest === record.basis?.digest)
  );
}

function isRunOf(run: StoredRun, source: SourceFile): boolean {
  if (run.state.source?.path !== source.path || run.state.source.kind !== source.kind) return false;
  const declared = source.reading.state === 'finished' ? source.reading.said : undefined;
  return (
    source.kind === 'plan' ||
    declared === undefined ||
    slugOf(declared.workflow) === slugOf(run.state.workflow)
  );
}

/** True if only hooks have written to the run and no live session holds it. */
function isUntouched(run: StoredRun, context: LivenessContext): boolean {
  return run.state.adopted !== true && !isHeldByLiveSession(run, context);
}

function newState({ source, declared }: SourceUpdate, now: Date): RunState {
  const current = declared.phase?.current ?? 1;
  return {
    workflow: declared.workflow,
    workflow_type: declared.workflow_type ?? 'custom',
    phase: {
      current,
      total: Math.max(declared.phase?.total ?? 1, current, 1),
      name: declared.phase?.name ?? declared.phases?.[current - 1] ?? '',
      status: declared.phase?.status ?? 'in_progress',
    },
    required_reading: declared.required_reading,
    created_at: now.toISOString(),
    context: declared.context,
    key_reminders: declared.key_reminders,
    ...(declared.phases === undefined ? {} : { phases: declared.phases }),
    status: 'in_progress',
    source: { kind: source.kind, path: source.path, ...formatIn(source), said: { ...declared } },
  };
}

function formatIn({ format }: SourceFile): { format?: string } {
  return format === undefined ? {} : { format };
}
