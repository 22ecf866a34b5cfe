import { withNextItem } from '../state/next-item.ts';
import type { RunState, Source, StoredRun } from '../state/types.ts';
import { sameJson } from '../util/json.ts';
import { RunDrafts, type RunDraft } from './drafts.ts';
import { mergeDeclared } from './merge.ts';
import { parseDeclared } from './parse-declared.ts';
import { planEndings } from './plan-endings.ts';
import { findReplacements, isSameWork, moveHolder } from './replace-section.ts';
import {
  hasRecord,
  isUnchangedSince,
  recordOfFormerSection,
  recordOfSource,
  type SourceRecord,
} from './source-records.ts';
import { sourceStateOf } from './source-state.ts';
import type { SourceFile, SourceUpdate, SyncChange, SyncInput } from './types.ts';
import { isoTime } from '../util/iso-time.ts';

/** What has to change so that the runs agree with their sources. Pure: `syncRuns` applies it, `status` shows it. */
export function planSync(input: SyncInput): SyncChange[] {
  const drafts = applySources(input);
  const endings = planEndings(drafts, input);
  const ended = new Set(endings.map(({ run }) => run));
  const merged = drafts.flatMap((draft): SyncChange[] => {
    const { run, state, updates, archivedRunId } = draft;
    if (run === null)
      return [{ kind: 'create', state, updates, ...(archivedRunId && { archivedRunId }) }];
    if (ended.has(run)) return [];
    return draft.isChanged
      ? [{ kind: 'update', run, state, updates }]
      : outdatedRecords(draft, run, input);
  });
  // A finished source that becomes active again starts a new run, even if it declares the same as before.
  const forgotten = input.sources
    .filter((source) => source.reading.state === 'finished')
    .filter((source) => hasRecord(input.sourceRecords, source))
    .map((source): SyncChange => ({ kind: 'forget', source }));
  return [...merged, ...endings, ...forgotten];
}

/** The sources that declare this run now. */
export function sourcesFor(run: StoredRun, input: SyncInput): SourceUpdate[] {
  return applySources(input).find((draft) => draft.run?.runId === run.runId)?.updates ?? [];
}

/** An archived run whose source has returned. */
export function returnedState(
  { status_reason: _reason, ...archived }: RunState,
  update: SourceUpdate,
): RunState {
  const base = parseDeclared(archived.source?.said);
  const merged = mergeDeclared(archived, update.declared, base);
  const source = sourceAfter(archived.source, update);
  return withNextItem({ ...merged, status: 'in_progress', source }, archived);
}

function applySources(input: SyncInput): RunDraft[] {
  const drafts = new RunDrafts(input);
  const assigned: { draft: RunDraft; update: SourceUpdate }[] = [];
  const replaced = new Set<SourceFile>();
  for (const { former, update } of findReplacements(drafts, input)) {
    replaced.add(update.source);
    const existing = drafts.find(update);
    if (existing === undefined && isSameWork(former, update)) {
      former.updates.push(update);
      assigned.push({ draft: former, update });
      continue;
    }
    if (existing !== undefined) {
      existing.updates.push(update);
      assigned.push({ draft: existing, update });
    }
    moveHolder(former, existing ?? drafts.add(newDraft(update, input), update), input);
  }
  // In order, so that a second source finds the run that the first one creates.
  for (const source of input.sources) {
    if (source.reading.state !== 'active' || replaced.has(source)) continue;
    const update = { source, declared: source.reading.said };
    if (hasEnded(update, drafts, input)) continue;
    const draft = drafts.find(update);
    if (draft === undefined) {
      drafts.add(newDraft(update, input), update);
    } else {
      draft.updates.push(update);
      assigned.push({ draft, update });
    }
  }
  // The source that was written last is merged last, so that it wins where two have changed.
  const time = ({ update }: { update: SourceUpdate }): number => update.source.modifiedAt ?? 0;
  for (const { draft, update } of assigned.toSorted((a, b) => time(a) - time(b)))
    mergeUpdate(draft, update, input);
  return drafts.all;
}

/** The run of this source was ended or deleted, and the source has not changed since: it says nothing new to any run. */
function hasEnded(
  update: SourceUpdate,
  drafts: RunDrafts,
  { sourceRecords, runs }: SyncInput,
): boolean {
  const record = recordOfSource(sourceRecords, update);
  if (record === undefined || record.away === true || !isUnchangedSince(update, record))
    return false;
  return drafts.ofSource(update).length === 0 && runs.every(({ runId }) => runId !== record.run_id);
}

function mergeUpdate(draft: RunDraft, update: SourceUpdate, input: SyncInput): void {
  const { source, declared } = update;
  const before = draft.state;
  const own = before.source;
  const isOwnSource = own?.path === source.path;
  // An unchanged source changes nothing, so no merge is needed. The run may have been moved by hand since.
  if (isOwnSource && sameJson(own.said, declared) && own.replaced_by === undefined) {
    draft.state = withNextItem(before, before);
    draft.isChanged ||= draft.state !== before;
    return;
  }

  const recorded = recordedFor(draft, update, input);
  const isBase = isOwnSource || (recorded === undefined && isMovedPlan(draft, update, input));
  const base = parseDeclared(isBase ? own?.said : recorded?.said);
  const merged = mergeDeclared(before, declared, base);
  const becomesSource = isOwnSource || isReplaceable(draft, update, recorded, input);
  draft.state = becomesSource
    ? withNextItem({ ...merged, source: sourceAfter(own, update) }, before)
    : merged;
  // A state file without a source was written by hand; from now on only this tells.
  if (draft.run !== null && own === undefined) draft.state.adopted = true;
  // A source that changes nothing in the run still needs a record of what it declares.
  const needsRecord = !becomesSource && !sameJson(recorded?.said, declared);
  draft.isChanged ||= needsRecord || !sameJson(draft.state, before);
}

/** The plan is at another path now: what it declared at the former one is what it declared last. */
function isMovedPlan(
  { run, state }: RunDraft,
  { source }: SourceUpdate,
  input: SyncInput,
): boolean {
  if (run === null || source.kind !== 'plan' || state.source?.kind !== 'plan') return false;
  return sourceStateOf({ ...run, state }, input.sources) === 'gone';
}

/** What the source declared when it was last merged into the run, by whatever name. */
function recordedFor(
  { run }: RunDraft,
  update: SourceUpdate,
  { sourceRecords, sources }: SyncInput,
): SourceRecord | undefined {
  if (run === null) return undefined;
  const record = recordOfSource(sourceRecords, update);
  if (record?.run_id === run.runId) return record;
  return update.source.kind === 'local-file'
    ? recordOfFormerSection(sourceRecords, update.source.path, run.runId, sources)
    : undefined;
}

function sourceAfter(before: Source | undefined, { source, declared }: SourceUpdate): Source {
  const { kind, path } = source;
  const {
    replaced_by: _replaced,
    format: _format,
    started,
    ...kept
  }: Partial<Source> = before ?? {};
  const isSameFile = before?.path === path;
  const now = {
    path,
    ...formatIn(source),
    // From now on the kind tells only what feeds the run, not that somebody wrote or started it.
    ...((before === undefined || before.kind === 'cli') && { written: true }),
    ...(isSameFile && started === true && { started }),
    said: { ...declared },
  };
  return before?.kind === 'template'
    ? { ...kept, kind: 'template', ...now }
    : { ...kept, kind, ...now };
}

/** Another source takes the place of one that no longer declares the run; of a finished one only if it is newer. */
function isReplaceable(
  { run, state }: RunDraft,
  update: SourceUpdate,
  recorded: SourceRecord | undefined,
  { sources }: SyncInput,
): boolean {
  if (run === null) return false;
  switch (sourceStateOf({ ...run, state }, sources)) {
    case 'declared':
    case 'unreadable':
      return false;
    case 'finished':
      return recorded === undefined || !isUnchangedSince(update, recorded);
    default:
      return true;
  }
}

/** Without the current text in its record, an edited plan would start a run again that is deleted by hand. */
function outdatedRecords({ updates }: RunDraft, run: StoredRun, input: SyncInput): SyncChange[] {
  return updates
    .filter((update) => {
      const record = recordOfSource(input.sourceRecords, update);
      const digest = update.source.fingerprint?.digest;
      return (
        digest !== undefined && record?.run_id === run.runId && record.basis?.digest !== digest
      );
    })
    .map((update) => ({ kind: 'record', run, update }));
}

function newDraft(
  update: SourceUpdate,
  { now, sourceRecords }: SyncInput,
): Pick<RunDraft, 'state' | 'archivedRunId'> {
  const record = recordOfSource(sourceRecords, update);
  return {
    state: newState(update, now),
    ...(record?.away === true && { archivedRunId: record.run_id }),
  };
}

/** A new run is as old as the file that declares it: a plan that nobody has touched for weeks is not recent work. */
export function newState({ source, declared }: SourceUpdate, now: Date): RunState {
  const current = declared.phase?.current ?? 1;
  const created = Math.min(source.modifiedAt ?? now.getTime(), now.getTime());
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
    created_at: isoTime(new Date(created)),
    context: declared.context,
    key_reminders: declared.key_reminders,
    ...(declared.phases === undefined ? {} : { phases: declared.phases }),
    status: 'in_progress',
    source: sourceOf({ source, declared }),
  };
}

/** The source of a run as its state names it. */
export function sourceOf({ source, declared }: SourceUpdate): Source {
  return { kind: source.kind, path: source.path, ...formatIn(source), said: { ...declared } };
}

function formatIn({ format }: SourceFile): { format?: string } {
  return format === undefined ? {} : { format };
}
