import {
  sameContent,
  type Commits,
  type Side,
  type Snapshot,
} from './commits.ts';
import { mergeSides } from './merge.ts';
import { toSnapshot, type LocalRun, type Place } from './portable.ts';
import type { RunRefs } from './refs.ts';

/** The state file as it may leave this machine, and the commit that it continues. */
export interface Outgoing {
  mine: Snapshot;
  /** Undefined if it was never in step with one. */
  base: string | undefined;
  /** Since it was last in step. */
  isChanged: boolean;
}

export function outgoing(
  commits: Commits,
  run: LocalRun,
  { base, local }: RunRefs,
  place: Place,
): Outgoing {
  const snapshotOf = ({ commit }: { commit: string }): Snapshot =>
    commits.read(commit).snapshot;
  const known = base === undefined ? null : snapshotOf(base);
  const mine = toSnapshot(run, known, place);

  // The newer first: a sync that was killed may have written the state file without the note that it is in step.
  const candidates = [local, base].filter((ref) => ref !== undefined);
  const inStep = candidates.find((ref) => {
    const before = snapshotOf(ref);
    return sameContent(toSnapshot(run, before, place), before);
  });
  return {
    mine,
    base: (inStep ?? base)?.commit,
    isChanged: inStep === undefined,
  };
}

/**
 * The commit that the run should be at: the state file, as a commit after the one that it was last in step with, merged
 * with what is known here and of the remote. Equal content makes no commit. Undefined if there is nothing at all.
 */
export function planRun(
  commits: Commits,
  own: Outgoing | null,
  refs: RunRefs,
): string | undefined {
  const known = [refs.local, refs.tracking]
    .filter((ref) => ref !== undefined)
    .map(({ commit }) => commit);
  const heads = own === null ? known : [headOf(commits, own, known), ...known];

  let merged: string | undefined;
  for (const head of new Set(heads))
    merged = merged === undefined ? head : mergeHeads(commits, merged, head);
  return merged;
}

/** The commit of the state file. */
function headOf(
  commits: Commits,
  { mine, base, isChanged }: Outgoing,
  others: readonly string[],
): string {
  if (base !== undefined && !isChanged) return base;
  const same = others.find((commit) =>
    sameContent(mine, commits.read(commit).snapshot),
  );
  return same ?? commits.write(mine, base === undefined ? [] : [base]);
}

/** One commit that continues both. */
export function mergeHeads(commits: Commits, a: string, b: string): string {
  const ancestors = commits.commonAncestors(a, b);
  if (ancestors.includes(a)) return b;
  if (ancestors.includes(b)) return a;
  const snapshot = mergeSides(
    baseOf(commits, ancestors, 0),
    commits.read(a),
    commits.read(b),
  );
  // In one order, so that every machine makes the same commit.
  return commits.write(snapshot, [a, b].toSorted());
}

/** Deep histories of merges that cross each other are rare; the first ancestor decides below this. */
const MAX_DEPTH = 4;

/** Where merges cross, there are several common ancestors: as in git, their merge is the base. */
function baseOf(
  commits: Commits,
  ancestors: readonly string[],
  depth: number,
): Side | null {
  const [first, ...rest] = ancestors.toSorted();
  if (first === undefined) return null;
  const start = commits.read(first);
  if (depth >= MAX_DEPTH) return start;

  let { snapshot } = start;
  for (const commit of rest) {
    const shared = commits.commonAncestors(first, commit);
    const base = baseOf(commits, shared, depth + 1);
    const merged = { ...start, snapshot };
    snapshot = mergeSides(base, merged, commits.read(commit));
  }
  return { commit: [first, ...rest].join(' '), snapshot };
}
