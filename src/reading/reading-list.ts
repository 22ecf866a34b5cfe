import type { RunState } from '../state/types.ts';

export type ReadingState = 'in_context' | 'changed' | 'unread' | 'missing' | 'outside' | 'host';

export interface ReadingEntry {
  path: string;
  state: ReadingState;
}

/** A required file on disk. The digest is a function because most callers do not need it. */
export type FileStatus =
  | { kind: 'present'; digest: () => string | undefined }
  | { kind: 'missing' }
  | { kind: 'outside' }
  | { kind: 'host' };

export interface ProjectFiles {
  /** One spelling for each file: `./docs//a.md` becomes `docs/a.md`. */
  canonical: (path: string) => string;
  statusOf: (path: string) => FileStatus;
}

/** Every required file once, even if it is listed under several spellings. */
export function readingList(state: RunState, files: ProjectFiles): ReadingEntry[] {
  const loaded = new Map(
    (state.context_metadata?.artifacts_in_context ?? []).map((entry) => [entry.artifact_id, entry]),
  );
  return requiredPaths(state, files).map((path) => {
    const status = files.statusOf(path.slice(1));
    if (status.kind !== 'present') return { path, state: status.kind };
    const entry = loaded.get(path);
    if (entry === undefined) return { path, state: 'unread' };
    return { path, state: entry.digest === status.digest() ? 'in_context' : 'changed' };
  });
}

export function requiredPaths(
  state: RunState,
  { canonical }: Pick<ProjectFiles, 'canonical'>,
): string[] {
  return [...new Set(state.required_reading.map(withOneSpelling))];

  // A list can have 150,000 entries, so the text of an entry is kept where it is right.
  function withOneSpelling(entry: string): string {
    const path = entry.slice(1);
    const spelling = canonical(path);
    return spelling === path && entry.startsWith('@') ? entry : `@${spelling}`;
  }
}

/** Tests whether a path, in the form stored in runs, is a required file. */
export function requires(reading: readonly ReadingEntry[]): (path: string) => boolean {
  const required = new Set(reading.map(({ path }) => path.slice(1)));
  return (path) => required.has(fromRoot(path));
}

function fromRoot(path: string): string {
  if (path.startsWith('/')) return path;
  const parts = path.replace(/^\{project_root\}\//, '').split('/');
  return parts.filter((part) => part !== '' && part !== '.').join('/');
}
