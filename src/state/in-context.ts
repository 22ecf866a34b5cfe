import { digestOf } from '../text/slug.ts';
import type { RunState } from './types.ts';

export function forgetLoaded(state: RunState): RunState {
  if (inContext(state).length === 0) return state;
  return {
    ...state,
    context_metadata: { ...state.context_metadata, artifacts_in_context: [] },
  };
}

export function recordAdded(
  state: RunState,
  files: readonly { id: string; content: string; trigger: string }[],
  now: Date,
): RunState {
  if (files.length === 0) return state;
  const time = now.toISOString();
  const metadata = state.context_metadata ?? {};
  const ids = new Set(files.map(({ id }) => id));
  const others = inContext(state).filter(({ artifact_id: id }) => !ids.has(id));
  const added = files.map(({ id, content, trigger }) => ({
    artifact_id: id,
    loaded_at: time,
    load_trigger: trigger,
    digest: digestOf(content),
  }));
  // A file that the agent opened itself does not count as a reload.
  const reload = files.every(({ trigger }) => trigger === 'read')
    ? {}
    : {
        last_artifact_reload: time,
        reload_count: (metadata.reload_count ?? 0) + 1,
      };
  const artifacts_in_context = [...others, ...added];
  return {
    ...state,
    context_metadata: { ...metadata, ...reload, artifacts_in_context },
  };
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
  const loaded = new Set(inContext(state).map(({ artifact_id: id }) => id));
  return due.filter(
    (id) => typeof id === 'string' && isId(id) && !loaded.has(id),
  );
}

/** For the journal: what came into the session's context by this change. An entry that stays is the same object. */
export function loadedDetails(
  before: RunState,
  after: RunState,
): { loaded?: string[] } {
  const earlier = new Set(inContext(before));
  const loaded = inContext(after)
    .filter((entry) => !earlier.has(entry))
    .map(({ artifact_id: id }) => id);
  return loaded.length === 0 ? {} : { loaded };
}

const inContext = ({ context_metadata: metadata }: RunState) =>
  metadata?.artifacts_in_context ?? [];

export function countCompaction(state: RunState): RunState {
  const metadata = state.context_metadata ?? {};
  const count = (metadata.compaction_count ?? 0) + 1;
  return {
    ...state,
    context_metadata: { ...metadata, compaction_count: count },
  };
}
