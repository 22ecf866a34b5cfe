import { digestOf } from '../io/digest.ts';
import type { ContextMetadata, RunState } from '../state/types.ts';
import { holderOf, recordArtifacts } from './holder.ts';

/** What the session's context holds from now on: the files whose content it was just given, and nothing else. */
export function recordLoaded(
  state: RunState,
  files: readonly { id: string; content: string }[],
  trigger: 'compaction' | 'session_start',
  now: Date,
): RunState {
  const time = now.toISOString();
  const metadata = state.context_metadata ?? {};
  const reload =
    files.length === 0
      ? {}
      : { last_artifact_reload: time, reload_count: (metadata.reload_count ?? 0) + 1 };
  const loaded = files.map(({ id, content }) => entryFor(id, content, trigger, time));
  return withArtifactsOf(
    { ...state, context_metadata: { ...metadata, ...reload, artifacts_in_context: loaded } },
    files,
    now,
  );
}

/** What came into the context beside what is there already. */
export function recordAdded(
  state: RunState,
  files: readonly { id: string; content: string; trigger: string }[],
  now: Date,
): RunState {
  if (files.length === 0) return state;
  const time = now.toISOString();
  const metadata = state.context_metadata ?? {};
  const ids = new Set(files.map(({ id }) => id));
  const others = (metadata.artifacts_in_context ?? []).filter(
    ({ artifact_id: id }) => !ids.has(id),
  );
  const added = files.map(({ id, content, trigger }) => entryFor(id, content, trigger, time));
  // What the agent opens by itself is no reload.
  const reload = files.every(({ trigger }) => trigger === 'read')
    ? {}
    : { last_artifact_reload: time, reload_count: (metadata.reload_count ?? 0) + 1 };
  return withArtifactsOf(
    {
      ...state,
      context_metadata: { ...metadata, ...reload, artifacts_in_context: [...others, ...added] },
    },
    files,
    now,
  );
}

/** The session was told that these are no longer as it got them. */
export function recordChangesReported(
  state: RunState,
  ids: readonly string[],
  now: Date,
): RunState {
  const metadata = state.context_metadata ?? {};
  const loaded = (metadata.artifacts_in_context ?? []).map((entry) =>
    ids.includes(entry.artifact_id) ? { ...entry, change_told_at: now.toISOString() } : entry,
  );
  return { ...state, context_metadata: { ...metadata, artifacts_in_context: loaded } };
}

type InContext = NonNullable<ContextMetadata['artifacts_in_context']>[number];

function entryFor(id: string, content: string, trigger: string, time: string): InContext {
  return { artifact_id: id, loaded_at: time, load_trigger: trigger, digest: digestOf(content) };
}

/** The record of the session that has it now tells so too. */
function withArtifactsOf(state: RunState, files: readonly { id: string }[], now: Date): RunState {
  const holder = holderOf(state);
  const ids = files.map(({ id }) => id);
  return holder === null ? state : recordArtifacts(state, holder, ids, now);
}

export function countCompaction(state: RunState): RunState {
  const metadata = state.context_metadata ?? {};
  const count = (metadata.compaction_count ?? 0) + 1;
  return { ...state, context_metadata: { ...metadata, compaction_count: count } };
}
