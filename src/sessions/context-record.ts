import { digestOf } from '../text/digest.ts';
import type { ContextMetadata, RunState } from '../state/types.ts';
import { holderOf, recordArtifacts } from './holder.ts';

type InContext = NonNullable<ContextMetadata['artifacts_in_context']>[number];

interface LoadedFile {
  id: string;
  content: string;
  trigger: string;
}

/** Empties the record of what is in the session's context. */
export function forgetLoaded(state: RunState): RunState {
  return { ...state, context_metadata: { ...state.context_metadata, artifacts_in_context: [] } };
}

/** Adds files to the record of what is in the session's context, and to the record of its holder. */
export function recordAdded(state: RunState, files: readonly LoadedFile[], now: Date): RunState {
  if (files.length === 0) return state;
  const time = now.toISOString();
  const metadata = state.context_metadata ?? {};
  const ids = files.map(({ id }) => id);
  const others = inContext(state).filter(({ artifact_id: id }) => !ids.includes(id));
  const added = files.map(({ id, content, trigger }) => ({
    artifact_id: id,
    loaded_at: time,
    load_trigger: trigger,
    digest: digestOf(content),
  }));
  // A file that the agent opened itself does not count as a reload.
  const reload = files.every(({ trigger }) => trigger === 'read')
    ? {}
    : { last_artifact_reload: time, reload_count: (metadata.reload_count ?? 0) + 1 };
  const context_metadata = { ...metadata, ...reload, artifacts_in_context: [...others, ...added] };
  const holder = holderOf(state);
  const recorded = { ...state, context_metadata };
  return holder === null ? recorded : recordArtifacts(recorded, holder, ids, now);
}

/** Replaces the record of what the session has not been given at the last move. */
export function recordDue(state: RunState, ids: readonly string[]): RunState {
  const { artifacts_due: before, ...metadata } = state.context_metadata ?? {};
  if (ids.length === 0 && before === undefined) return state;
  const due = ids.length === 0 ? {} : { artifacts_due: [...ids] };
  return { ...state, context_metadata: { ...metadata, ...due } };
}

/** The artifacts of the current step that the session has not been given yet. */
export function dueArtifacts(state: RunState): string[] {
  const due: unknown = state.context_metadata?.artifacts_due;
  if (!Array.isArray(due)) return [];
  // People may edit the state file, and the ids become words of a command.
  const isId = (id: string): boolean => /^[\p{L}\p{N}_-]{1,100}$/u.test(id);
  const known = new Set(inContext(state).map(({ artifact_id: id }) => id));
  return due.filter((id) => typeof id === 'string' && isId(id) && !known.has(id));
}

/** For the journal: what came into the session's context by this change. */
export function loadedDetails(before: RunState, after: RunState): { loaded?: string[] } {
  const keyOf = ({ artifact_id: id, loaded_at: at }: InContext): string => `${at} ${id}`;
  const known = new Set(inContext(before).map(keyOf));
  const loaded = inContext(after)
    .filter((entry) => !known.has(keyOf(entry)))
    .map(({ artifact_id: id }) => id);
  return loaded.length === 0 ? {} : { loaded };
}

function inContext({ context_metadata: metadata }: RunState): InContext[] {
  return metadata?.artifacts_in_context ?? [];
}

export function countCompaction(state: RunState): RunState {
  const metadata = state.context_metadata ?? {};
  const count = (metadata.compaction_count ?? 0) + 1;
  return { ...state, context_metadata: { ...metadata, compaction_count: count } };
}
