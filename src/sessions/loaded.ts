import { digestOf } from '../io/digest.ts';
import type { RunState } from '../state/types.ts';

/** What the session's context holds from now on: the files whose content it was just given, and nothing else. */
export function recordLoaded(
  state: RunState,
  files: readonly { path: string; content: string }[],
  trigger: 'compaction' | 'session_start',
  now: Date,
): RunState {
  const time = now.toISOString();
  const metadata = state.context_metadata ?? {};
  const reload =
    files.length === 0
      ? {}
      : { last_artifact_reload: time, reload_count: (metadata.reload_count ?? 0) + 1 };
  const loaded = files.map(({ path, content }) => ({
    artifact_id: path,
    loaded_at: time,
    load_trigger: trigger,
    digest: digestOf(content),
  }));
  return {
    ...state,
    context_metadata: { ...metadata, ...reload, artifacts_in_context: loaded },
  };
}

export function countCompaction(state: RunState): RunState {
  const metadata = state.context_metadata ?? {};
  const count = (metadata.compaction_count ?? 0) + 1;
  return { ...state, context_metadata: { ...metadata, compaction_count: count } };
}
