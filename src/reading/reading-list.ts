import type { RunState } from '../state/types.ts';

export type ReadingState = 'in_context' | 'changed' | 'unread' | 'missing' | 'outside' | 'host';

export interface ReadingEntry {
  path: string;
  state: ReadingState;
}

/** What is known of a required file on disk; its digest is asked for only where it matters. */
export type FileStatus =
  | { kind: 'present'; digest: () => string | undefined }
  | { kind: 'missing' }
  | { kind: 'outside' }
  | { kind: 'host' };

/** The files of a project, as the reading list asks for them. */
export interface ProjectFiles {
  /** One spelling for each file: `./docs//a.md` is `docs/a.md`. */
  canonical: (path: string) => string;
  factOf: (path: string) => FileStatus;
}

/** Every required file once, whatever its spellings. */
export function readingList(state: RunState, files: ProjectFiles): ReadingEntry[] {
  const loaded = new Map(
    (state.context_metadata?.artifacts_in_context ?? []).map((entry) => [entry.artifact_id, entry]),
  );
  return requiredPaths(state, files).map((path) => {
    const fact = files.factOf(path.slice(1));
    if (fact.kind !== 'present') return { path, state: fact.kind };
    const entry = loaded.get(path);
    if (entry === undefined) return { path, state: 'unread' };
    return { path, state: entry.digest === fact.digest() ? 'in_context' : 'changed' };
  });
}

/** The files that changed since the session got them, until it was told so: then they are news again once it read them. */
export function unreportedChanges(
  state: RunState,
  reading: readonly ReadingEntry[],
): ReadingEntry[] {
  const told = new Set(
    state.context_metadata?.artifacts_in_context?.flatMap((entry) =>
      entry.change_told_at === undefined ? [] : entry.artifact_id,
    ),
  );
  return reading.filter((entry) => entry.state === 'changed' && !told.has(entry.path));
}

export function requiredPaths(
  state: RunState,
  { canonical }: Pick<ProjectFiles, 'canonical'>,
): string[] {
  return [...new Set(state.required_reading.map((path) => `@${canonical(path.slice(1))}`))];
}

/** Whether a path, as runs keep it, is one of the files that are required. */
export function requires(reading: readonly ReadingEntry[]): (path: string) => boolean {
  const required = new Set(reading.map(({ path }) => path.slice(1)));
  return (path) => required.has(fromRoot(path));
}

function fromRoot(path: string): string {
  if (path.startsWith('/')) return path;
  const parts = path.replace(/^\{project_root\}\//, '').split('/');
  return parts.filter((part) => part !== '' && part !== '.').join('/');
}
