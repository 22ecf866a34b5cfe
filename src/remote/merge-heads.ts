import type { Conflict } from './merge-fields.ts';
import { mergeSides, type Base, type Side } from './merge.ts';
import type { Snapshot } from './snapshot.ts';

/** The commits of one run. */
export interface RunCommits {
  /** A commit that is known to hold a run. */
  read: (commit: string) => Side;
  /** The same content, parents and time make the same commit on every machine. */
  write: (snapshot: Snapshot, parents: readonly string[], at: string) => string;
  /** The best common ancestors of two commits; several where merges have crossed. */
  commonAncestors: (a: string, b: string) => readonly string[];
  /** The latest commits of a history that are known to hold a run, each before those it continues. */
  history: (heads: readonly string[]) => readonly Side[];
}

export interface MergedHead {
  commit: string;
  /** The fields that were changed on both sides. */
  conflicts: Conflict[];
}

/** Deep histories of merges that cross each other are rare; the first ancestor decides below this. */
const MAX_DEPTH = 4;

/** One commit that continues all of `heads`. */
export function mergeHeads(commits: RunCommits, heads: readonly string[]): MergedHead | null {
  const [first, ...rest] = [...new Set(heads)];
  if (first === undefined) return null;
  return rest.reduce<MergedHead>(
    (merged, head) => {
      const next = mergePair(commits, merged.commit, head);
      return { commit: next.commit, conflicts: [...merged.conflicts, ...next.conflicts] };
    },
    { commit: first, conflicts: [] },
  );
}

function mergePair(commits: RunCommits, a: string, b: string): MergedHead {
  if (a === b) return { commit: a, conflicts: [] };
  const ancestors = commits.commonAncestors(a, b);
  if (ancestors.includes(a)) return { commit: b, conflicts: [] };
  if (ancestors.includes(b)) return { commit: a, conflicts: [] };
  const [left, right] = [commits.read(a), commits.read(b)];
  const { snapshot, conflicts } = mergeSides(baseOf(commits, ancestors, 0), left, right);
  const at = left.at > right.at ? left.at : right.at;
  // In one order, so that every machine makes the same commit.
  return { commit: commits.write(snapshot, [a, b].toSorted(), at), conflicts };
}

/** Where merges cross, there are several common ancestors: as in git, their merge is the base. */
function baseOf(commits: RunCommits, ancestors: readonly string[], depth: number): Base | null {
  const [first, ...rest] = ancestors.toSorted();
  if (first === undefined) return null;
  const start = commits.read(first);
  if (depth >= MAX_DEPTH) return start;
  const snapshot = rest.reduce((merged, commit) => {
    const base = baseOf(commits, commits.commonAncestors(first, commit), depth + 1);
    return mergeSides(base, { ...start, snapshot: merged }, commits.read(commit)).snapshot;
  }, start.snapshot);
  return { commit: [first, ...rest].join(' '), snapshot };
}
