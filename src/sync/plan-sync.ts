import type { SyncChange, SourceUpdate, SourceFile, SyncInput } from './types.ts';
import { sameJson } from '../util/json.ts';
import { RunDrafts, type RunDraft } from './drafts.ts';
import { mergeDeclared, parseDeclared } from './merge.ts';
import { slugOf } from '../util/slug.ts';
import { isRemembered, recordOfSource, type SourceRecord } from './source-memory.ts';
import type { RunState, StoredRun } from '../state/types.ts';

/** What the sources ask to be changed. Pure: the store carries it out, `status` only tells it. */
export function planSync(input: SyncInput): SyncChange[] {
  const drafts = applySources(input);
  const fed = drafts.flatMap(({ run, state, fedBy, isChanged }): SyncChange[] => {
    if (!isChanged) return [];
    return [
      run === null ? { kind: 'create', state, fedBy } : { kind: 'update', run, state, fedBy },
    ];
  });
  const alive = new Set(drafts.filter(({ fedBy }) => fedBy.length > 0).map(({ run }) => run));
  const finished = input.sources.filter(({ reading }) => reading.state === 'finished');
  const byPath = new Map(finished.map((source) => [source.path, source]));
  const archived = input.runs.flatMap((run): SyncChange[] => {
    const source = byPath.get(run.state.source?.path ?? '');
    const isOver =
      source !== undefined &&
      !alive.has(run) &&
      isRunOf(run, source) &&
      isAbandoned(run, input.isHeld);
    return isOver ? [{ kind: 'archive', run, source }] : [];
  });
  // Taken up again, a finished source makes a new run, also with the same words as before.
  const forgotten = finished
    .filter((source) => isRemembered(input.memory, source))
    .map((source): SyncChange => ({ kind: 'forget', source }));
  return [...fed, ...archived, ...forgotten];
}

/** The sources that feed this run now. */
export function sourcesFor(run: StoredRun, input: SyncInput): SourceUpdate[] {
  return applySources(input).find((draft) => draft.run?.runId === run.runId)?.fedBy ?? [];
}

/** Runs that only hooks have written and whose source no longer declares them: kept, but not restored. */
export function dormantRuns(
  input: Pick<SyncInput, 'sources' | 'runs' | 'isHeld'>,
): ReadonlySet<string> {
  const readings = new Map(input.sources.map(({ path, reading }) => [path, reading]));
  const isDormant = (run: StoredRun): boolean => {
    const { source } = run.state;
    if (source?.path === undefined || source.kind === 'template') return false;
    if (!isAbandoned(run, input.isHeld)) return false;
    const now = readings.get(source.path);
    if (now?.state === 'unreadable') return false;
    if (now?.state !== 'active') return true;
    return source.kind === 'local-file' && slugOf(now.said.workflow) !== slugOf(run.state.workflow);
  };
  return new Set(input.runs.filter(isDormant).map((run) => run.runId));
}

/** Sources are heard one after the other, so that a second one finds what the first has made. */
function applySources(input: SyncInput): RunDraft[] {
  const drafts = new RunDrafts(input);
  for (const source of input.sources) {
    if (source.reading.state === 'active')
      applySource({ source, said: source.reading.said }, drafts, input);
  }
  return drafts.all;
}

function applySource(feeding: SourceUpdate, drafts: RunDrafts, input: SyncInput): void {
  const { source, said } = feeding;
  const remembered = recordOfSource(input.memory, source, said);
  const draft = drafts.fedBy(feeding);
  if (draft === undefined) {
    const endedUnchanged = remembered !== undefined && isUnchangedSince(feeding, remembered);
    if (!endedUnchanged) drafts.add(newState(feeding, input.now), feeding);
    return;
  }

  const before = draft.state;
  const isOwn = before.source?.path === source.path;
  draft.fedBy.push(feeding);
  // An unchanged source changes nothing: no merge is needed to know that.
  if (isOwn && sameJson(before.source?.said, said)) return;

  const lastSaid = remembered?.run_id === draft.run?.runId ? remembered?.said : undefined;
  const base = parseDeclared(isOwn ? before.source?.said : lastSaid);
  const merged = mergeDeclared(before, said, base);
  const adopts = isOwn || drafts.isOrphan(before.source?.path);
  const kind = before.source?.kind === 'template' ? 'template' : source.kind;
  draft.state = adopts
    ? { ...merged, source: { ...merged.source, kind, path: source.path, said: { ...said } } }
    : merged;
  draft.isChanged ||= !sameJson(draft.state, before) || !(adopts || sameJson(lastSaid, said));
}

/** A plan of the same text says the same, also when a file that it names has come or gone. */
function isUnchangedSince(
  { source, said }: SourceUpdate,
  { basis, said: before }: SourceRecord,
): boolean {
  const digest = source.basis?.digest;
  return sameJson(before, said) || (digest !== undefined && digest === basis?.digest);
}

function isRunOf(run: StoredRun, source: SourceFile): boolean {
  if (run.state.source?.path !== source.path || run.state.source.kind !== source.kind) return false;
  const said = source.reading.state === 'finished' ? source.reading.said : undefined;
  return (
    source.kind === 'plan' ||
    said === undefined ||
    slugOf(said.workflow) === slugOf(run.state.workflow)
  );
}

function isAbandoned(run: StoredRun, isHeld: (run: StoredRun) => boolean): boolean {
  return run.state.adopted !== true && !isHeld(run);
}

function newState({ source, said }: SourceUpdate, now: Date): RunState {
  const current = said.phase?.current ?? 1;
  return {
    workflow: said.workflow,
    workflow_type: said.workflow_type ?? 'custom',
    phase: {
      current,
      total: Math.max(said.phase?.total ?? 1, current, 1),
      name: said.phase?.name ?? said.phases?.[current - 1] ?? '',
      status: said.phase?.status ?? 'in_progress',
    },
    required_reading: said.required_reading,
    created_at: now.toISOString(),
    context: said.context,
    key_reminders: said.key_reminders,
    ...(said.phases === undefined ? {} : { phases: said.phases }),
    status: 'in_progress',
    source: { kind: source.kind, path: source.path, said: { ...said } },
  };
}
