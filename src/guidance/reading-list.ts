import type { RunState } from '../state/types.ts';

export type ReadingState = 'in_context' | 'changed' | 'unread' | 'missing' | 'outside' | 'host';

export interface ReadingEntry {
  path: string;
  state: ReadingState;
}

/** What is known of a required file on disk; its digest is asked for only where it matters. */
export type FileFact =
  | { kind: 'present'; digest: () => string | undefined }
  | { kind: 'missing' }
  | { kind: 'outside' }
  | { kind: 'host' };

export function readingList(state: RunState, factOf: (path: string) => FileFact): ReadingEntry[] {
  const loaded = new Map(
    (state.context_metadata?.artifacts_in_context ?? []).map((entry) => [entry.artifact_id, entry]),
  );
  return [...new Set(state.required_reading)].map((path) => {
    const fact = factOf(path.slice(1));
    if (fact.kind !== 'present') return { path, state: fact.kind };
    const entry = loaded.get(path);
    if (entry === undefined) return { path, state: 'unread' };
    return { path, state: entry.digest === fact.digest() ? 'in_context' : 'changed' };
  });
}
