import { mergeSides, type Side } from './merge.ts';
import { toSnapshot, type LocalRun, type Place } from './portable.ts';
import type { RunRefs } from './refs.ts';
import { sameContent, type Snapshot } from './snapshot.ts';

export interface Commits {
  /** Throws if the commit is not a run. */
  read: (commit: string) => Side;
  /** The same content and parents make the same commit on every machine. */
  write: (snapshot: Snapshot, parents: readonly string[]) => string;
  /** The best common ancestors of two commits; several where merges have crossed. */
  commonAncestors: (a: string, b: string) => readonly string[];
}

export type Outgoing = ReturnType<typeof outgoing>;

/** The state file as it may leave this machine, and the commit that it continues. */
export function outgoing(commits: Commits, run: LocalRun, { base, local }: RunRefs, place: Place) {
  const readSnapshot = ({ commit }: { commit: string }): Snapshot => commits.read(commit).snapshot;
  const mine = toSnapshot(run, base === undefined ? null : readSnapshot(base), place);
  // The newer first: a sync that was killed may have written the state file without the note that it is in step.
  const inStep = [local, base].find((ref) => {
    const before = ref && readSnapshot(ref);
    return before !== undefined && sameContent(toSnapshot(run, before, place), before);
  });
  return { mine, base: (inStep ?? base)?.commit, isChanged: inStep === undefined };
}

/**
 * The commit that the run should be at: the state file, as a commit after the one that it was last in step with, merged
 * with what is known here and of the remote. Equal content makes no commit. Undefined if there is nothing at all.
 */
export function planRun(commits: Commits, own: Outgoing | null, refs: RunRefs): string | undefined {
  const tips = [refs.local, refs.tracking].flatMap((ref) => ref?.commit ?? []);
  const heads = own === null ? tips : [headOf(commits, own, tips), ...tips];
  const [first, ...rest] = new Set(heads);
  return first && rest.reduce((merged, head) => mergeHeads(commits, merged, head), first);
}

function headOf(commits: Commits, { mine, base, isChanged }: Outgoing, others: readonly string[]) {
  if (base !== undefined && !isChanged) return base;
  const same = others.find((commit) => sameContent(mine, commits.read(commit).snapshot));
  return same ?? commits.write(mine, base === undefined ? [] : [base]);
}

/** One commit that continues both. */
export function mergeHeads(commits: Commits, a: string, b: string): string {
  const ancestors = commits.commonAncestors(a, b);
  if (ancestors.includes(a)) return b;
  if (ancestors.includes(b)) return a;
  const snapshot = mergeSides(baseOf(commits, ancestors, 0), commits.read(a), commits.read(b));
  // In one order, so that every machine makes the same commit.
  return commits.write(snapshot, [a, b].toSorted());
}

/** Deep histories of merges that cross each other are rare; the first ancestor decides below this. */
const MAX_DEPTH = 4;

/** Where merges cross, there are several common ancestors: as in git, their merge is the base. */
function baseOf(commits: Commits, ancestors: readonly string[], depth: number): Side | null {
  const [first, ...rest] = ancestors.toSorted();
  if (first === undefined) return null;
  const start = commits.read(first);
  if (depth >= MAX_DEPTH) return start;
  const snapshot = rest.reduce((merged, commit) => {
    const base = baseOf(commits, commits.commonAncestors(first, commit), depth + 1);
    return mergeSides(base, { ...start, snapshot: merged }, commits.read(commit));
  }, start.snapshot);
  return { commit: [first, ...rest].join(' '), snapshot };
}
