import { isLongAgo } from '../state/recency.ts';
import { phaseDeclared } from '../state/phases.ts';
import { withLabel } from '../state/phase-labels.ts';
import { withNextItem } from '../state/plan-of-run.ts';
import type {
  SourceRecord,
  SourceRecords,
} from '../state/store/source-records-file.ts';
import type { RunState, Source } from '../state/types.ts';
import { sameJson, type JsonObject } from '../text/json.ts';
import { changeOf } from './end-with-source.ts';
import { mergeDeclared } from './merge-declared.ts';
import { renamedSections } from './renamed-sections.ts';
import { RunDrafts } from './run-drafts.ts';
import {
  declaredFor,
  isGoing,
  observeSources,
  parseDeclared,
  recordForRun,
  recordOfSource,
  type EndedSource,
} from './source-records.ts';
import { sourceStateOf, withStatus } from './source-state.ts';
import type {
  DeclaredWorkflow,
  RunDraft,
  SourceUpdate,
  SyncChange,
  SyncInput,
} from './types.ts';

export interface SyncPlan {
  changes: SyncChange[];
  /** With what was seen of sources, although no run changes. */
  records: SourceRecords;
  /** The sources that declare a workflow whose run has ended, and that start no other one by themselves. */
  ended: EndedSource[];
}

/** What has to change so that the runs agree with their sources. Pure: `syncRuns` applies it, `status` shows it. */
export function planSync(listed: SyncInput): SyncPlan {
  const records = observeSources(listed);
  const input = { ...listed, sourceRecords: records };
  const { drafts, ended } = applySources(input);
  const changes = drafts
    .map((draft) => changeOf(draft, input))
    .filter((change) => change !== null);
  return { changes, records, ended };
}

/** The sources that feed the runs, by run id. */
export function sourcesByRun(
  input: SyncInput,
): ReadonlyMap<string, SourceUpdate[]> {
  const byRun = new Map<string, SourceUpdate[]>();
  for (const { run, updates } of applySources(input).drafts)
    if (run) byRun.set(run.runId, updates);
  return byRun;
}

interface Assignment {
  draft: RunDraft;
  update: SourceUpdate;
}

/** The runs with everything that their sources declare, and the runs that sources start. */
function applySources(input: SyncInput): {
  drafts: RunDraft[];
  ended: EndedSource[];
} {
  const drafts = new RunDrafts(input);
  const { assigned, ended } = assignSources(drafts, input);
  // The source that was written last is merged last, so that it wins where two have changed.
  const inTimeOrder = assigned.toSorted(
    (a, b) => (a.update.modifiedAt ?? 0) - (b.update.modifiedAt ?? 0),
  );
  for (const { draft, update } of inTimeOrder)
    mergeUpdate(draft, update, input);
  return { drafts: drafts.all, ended };
}

/** Adds each source to the run that it belongs to; an active one without a run starts one, unless its run has ended. */
function assignSources(
  drafts: RunDrafts,
  input: SyncInput,
): { assigned: Assignment[]; ended: EndedSource[] } {
  const renamed = renamedSections(drafts, input);
  const assigned: Assignment[] = [];
  const ended: EndedSource[] = [];
  // Active ones first, so that a second source finds the run that the first one starts.
  const going = input.sources.filter(isGoing);
  const active = going.filter(({ state }) => state === 'active');
  const others = going.filter(({ state }) => state !== 'active');
  for (const update of [...active, ...others]) {
    const draft = renamed.get(update) ?? drafts.find(update);
    if (draft) {
      draft.updates.push(update);
      assigned.push({ draft, update });
      continue;
    }
    if (update.state !== 'active') continue;
    const record = recordOfSource(input.sourceRecords, update);
    if (mayStartRun(record, input)) drafts.add(draftOf(update, record, input));
    else if (
      record?.ended &&
      !isLongAgo(Date.parse(record.ended.at), input.now)
    )
      ended.push(endedSource(update, record, record.ended));
  }
  return { assigned, ended };
}

/** A source whose run has ended starts another one only after its declaration was gone from this branch. */
function mayStartRun(
  record: SourceRecord | undefined,
  { head }: SyncInput,
): boolean {
  return (
    record === undefined || record.away === true || wasGoneOn(head, record)
  );
}

function wasGoneOn(head: string, record: SourceRecord | undefined): boolean {
  return record?.gone_on?.includes(head) === true;
}

/** The run that a source starts, or that comes back from the archive, where it is because its source was away. */
function draftOf(
  update: SourceUpdate,
  record: SourceRecord | undefined,
  input: SyncInput,
): RunDraft {
  const state = newState(update, input.now);
  const draft: RunDraft = { run: null, state, updates: [update] };
  const formerPhase = parseDeclared(record?.said)?.phase?.current ?? 0;
  const phase = update.said.phase?.current ?? formerPhase;
  const startsOver = wasGoneOn(input.head, record) && phase < formerPhase;
  if (record?.away && !startsOver) draft.archivedRunId = record.run_id;
  return draft;
}

function endedSource(
  { path, said }: SourceUpdate,
  { run_id: runId }: SourceRecord,
  end: NonNullable<SourceRecord['ended']>,
): EndedSource {
  return { path, workflow: said.workflow, runId, ...end };
}

function mergeUpdate(
  draft: RunDraft,
  update: SourceUpdate,
  input: SyncInput,
): void {
  const { run, state: before } = draft;
  const { said } = update;
  const own = before.source;
  const isOwn = own?.path === update.path;
  // An unchanged source changes nothing, so no merge is needed. The run may have been moved by hand since.
  if (isOwn && sameJson(own.said, said)) {
    draft.state = withNextItem(before, before);
    return;
  }

  const ownState = run && sourceStateOf(before, input.sources);
  const recorded = recordForRun(run?.runId, update, input);
  const ownBase = parseDeclared(own?.said);
  // The plan is at another path now: what it declared at the former one is what it declared last.
  const isMoved =
    ownState === 'gone' && isPlan(update) && isPlan(own) && !recorded;
  const base = isOwn || isMoved ? ownBase : parseDeclared(recorded?.said);
  const declared: DeclaredWorkflow[] = ownBase ? [ownBase] : [];
  if (run) declared.push(...declaredFor(input.sourceRecords, run.runId));
  for (const other of draft.updates) declared.push(other.said);
  const merged = mergeDeclared(before, said, base, declared);

  // Another source takes the place of one that no longer declares the run; of a finished one only if it is newer.
  const isFree = ownState === 'gone' || ownState === 'none';
  const isOver = ownState === 'finished' || ownState === 'cancelled';
  const isNewer = isOver && !sameJson(recorded?.said, said);
  const takesPlace = update.state === 'active' && (isFree || isNewer);
  if (isOwn || takesPlace) {
    const source = sourceAfter(own, update);
    draft.state = withNextItem(withLabel({ ...merged, source }), before);
  } else draft.state = merged;

  // A state file without a source was written by hand; from now on only this tells.
  if (run && own === undefined) draft.state.adopted = true;
}

function isPlan(source: { kind: Source['kind'] } | undefined): boolean {
  return source?.kind === 'plan';
}

/** An archived run whose source declares it again. */
export function returnedState(
  { status_reason: _reason, ...archived }: RunState,
  update: SourceUpdate,
): RunState {
  const base = parseDeclared(archived.source?.said);
  const merged = mergeDeclared(archived, update.said, base);
  const source = sourceAfter(archived.source, update);
  const returned = withLabel({ ...merged, status: 'in_progress', source });
  return withNextItem(withStatus(returned, 'active'), archived);
}

/** The `source` of a run once it follows this one. */
function sourceAfter(before: Source | undefined, update: SourceUpdate): Source {
  const {
    format: _format,
    status,
    started,
    ...kept
  }: Partial<Source> = before ?? {};
  const isSame = before?.path === update.path;
  const { kind, ...file } = sourceOf(update);
  const fields: JsonObject & Pick<FileSource, 'path' | 'said'> = {
    ...kept,
    ...file,
  };
  if (isSame && started === true) fields['started'] = true;
  // From now on the kind tells only what feeds the run, not that somebody wrote or started it.
  if (before === undefined || before.kind === 'cli') fields['written'] = true;

  // A run of a template stays one.
  if (before?.kind === 'template') return { ...fields, kind: before.kind };
  return isSame && status ? { ...fields, kind, status } : { ...fields, kind };
}

/** A new run is as old as the file that declares it: a plan that nobody has touched for weeks is not recent work. */
export function newState(update: SourceUpdate, now: Date): RunState {
  const { said, modifiedAt = now.getTime() } = update;
  const { phases, skipped = {}, undone = [] } = said;
  return {
    workflow: said.workflow,
    workflow_type: said.workflow_type ?? 'custom',
    phase: phaseDeclared(said.phase ?? {}, phases ?? []),
    phase_set_by: 'source',
    required_reading: said.required_reading,
    created_at: new Date(Math.min(modifiedAt, now.getTime())).toISOString(),
    context: said.context,
    key_reminders: said.key_reminders,
    ...(phases && { phases }),
    ...(Object.keys(skipped).length > 0 && { skipped }),
    ...(undone.length > 0 && { undone }),
    status: 'in_progress',
    source: sourceOf(update),
  };
}

/** The `source` of a run that a plan or the local file feeds, with what that declares now as the base of later merges. */
type FileSource = Pick<SourceUpdate, 'kind' | 'path' | 'format'> & {
  said: Record<string, unknown>;
};

export function sourceOf({
  kind,
  path,
  format,
  said,
}: SourceUpdate): FileSource {
  const declared = { ...said };
  return format
    ? { kind, path, format, said: declared }
    : { kind, path, said: declared };
}
