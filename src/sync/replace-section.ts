import { holderOf, liveHolder, releaseRun, sessionRecord } from '../sessions/holder.ts';
import type { RunState } from '../state/types.ts';
import { slugOf } from '../util/slug.ts';
import type { RunDraft, RunDrafts } from './drafts.ts';
import { parseDeclared } from './parse-declared.ts';
import { isUnchangedSince, recordOfSource } from './source-records.ts';
import { sectionSlugs } from './source-state.ts';
import type { SourceUpdate, SyncInput } from './types.ts';

/** A section of the local file that named the workflow of `former` and names another one now. */
export interface Replacement {
  former: RunDraft;
  update: SourceUpdate;
}

export function findReplacements(drafts: RunDrafts, input: SyncInput): Replacement[] {
  const local = input.sources.filter(({ kind }) => kind === 'local-file');
  return [...new Set(local.map(({ path }) => path))].flatMap((path) => {
    const sections = local.filter((source) => source.path === path);
    const named = new Set<string>();
    const updates: SourceUpdate[] = [];
    for (const source of sections) {
      const { reading } = source;
      if (reading.state === 'unreadable') return [];
      if ('said' in reading && reading.said) named.add(slugOf(reading.said.workflow));
      if (reading.state === 'active') updates.push({ source, declared: reading.said });
    }
    const formers = drafts.all.filter(
      ({ state }) =>
        isFromSection(state, path) && [...sectionSlugs(state)].every((slug) => !named.has(slug)),
    );
    if (formers.length === 0) return [];
    return pairUp(
      formers,
      updates.filter((candidate) => isNew(candidate, drafts, input)),
    );
  });
}

/**
 * Of several sections, those that are the same work belong together. Of the others, it is a replacement only if exactly
 * one vanished and exactly one is new.
 */
function pairUp(formers: readonly RunDraft[], updates: readonly SourceUpdate[]): Replacement[] {
  const same = formers.flatMap((former) =>
    updates.filter((update) => isSameWork(former, update)).map((update) => ({ former, update })),
  );
  const isOnly = (pair: Replacement): boolean =>
    same.every(
      (other) => other === pair || (other.former !== pair.former && other.update !== pair.update),
    );
  const renamed = same.filter(isOnly);
  const [former, ...otherFormers] = formers.filter((draft) =>
    renamed.every((pair) => pair.former !== draft),
  );
  const [update, ...others] = updates.filter((source) =>
    renamed.every((pair) => pair.update !== source),
  );
  const isReplaced = otherFormers.length === 0 && others.length === 0;
  return former !== undefined && update !== undefined && isReplaced
    ? [...renamed, { former, update }]
    : renamed;
}

function isFromSection({ status, source }: RunState, path: string): boolean {
  return (
    status === 'in_progress' &&
    source?.kind === 'local-file' &&
    source.path === path &&
    source.replaced_by === undefined
  );
}

/** A section is not new if it feeds a run already, or if its run has ended and it still declares the same. */
function isNew(update: SourceUpdate, drafts: RunDrafts, { sourceRecords }: SyncInput): boolean {
  const isCurrent = ({ state }: RunDraft): boolean => state.source?.replaced_by === undefined;
  if (drafts.ofSource(update).some(isCurrent)) return false;
  const record = recordOfSource(sourceRecords, update);
  if (record === undefined) return true;
  const fed = drafts.all.find(({ run }) => run?.runId === record.run_id);
  if (fed !== undefined) return !isCurrent(fed);
  return record.away === true || !isUnchangedSince(update, record);
}

/** The same phases or the same required reading: then only the name of the work has changed. */
export function isSameWork({ state }: RunDraft, { declared }: SourceUpdate): boolean {
  const before = parseDeclared(state.source?.said);
  return (
    isSameList(declared.phases, before?.phases ?? state.phases) ||
    isSameList(declared.required_reading, before?.required_reading) ||
    isSameList(declared.required_reading, state.required_reading)
  );
}

function isSameList(list: string[] | undefined, other: string[] | undefined): boolean {
  if (list === undefined || other === undefined || list.length === 0) return false;
  const entries = new Set(other);
  return entries.size === new Set(list).size && list.every((entry) => entries.has(entry));
}

/** The session that held the former run holds the next one; the former stays, so that it can be resumed. */
export function moveHolder(former: RunDraft, next: RunDraft, input: SyncInput): void {
  const holder = holderOf(former.state);
  const record = holder === null ? undefined : sessionRecord(former.state, holder);
  const { source } = former.state;
  const released = holder === null ? former.state : releaseRun(former.state, holder, input.now);
  former.state = {
    ...released,
    ...(source?.kind === 'local-file' && {
      source: { ...source, replaced_by: next.state.workflow },
    }),
  };
  former.isChanged = true;
  const taken = liveHolder(next.state, input);
  if (holder === null || record === undefined || (taken !== null && taken !== holder)) return;
  const { released_at: _released, ...kept } = record;
  const history = (next.state.sessions?.session_history ?? []).filter(
    ({ session_id: id }) => id !== holder,
  );
  next.state = {
    ...next.state,
    sessions: {
      ...next.state.sessions,
      current_session_id: holder,
      session_history: [...history, kept],
    },
  };
  next.isChanged = true;
}
