import type { Conflict } from './merge-fields.ts';
import { mergeHeads, type RunCommits } from './merge-heads.ts';
import type { LocalRun, Place } from './local-run.ts';
import { findCopied } from './find-copied.ts';
import { portableLines, toSnapshot } from './portable.ts';
import { sameContent, type Snapshot } from './snapshot.ts';

/** Commits that are known of a run: here, on the remote, and when the state file was last in step. */
export interface KnownCommits {
  base?: string | undefined;
  local?: string | undefined;
  tracking?: string | undefined;
}

export interface RunPlan {
  /** Continues everything that is known of the run. */
  commit: string;
  /** The run as it is in that commit. */
  result: Snapshot;
  /** The run as the state file has it; null if there is no state file. */
  mine: Snapshot | null;
  conflicts: Conflict[];
}

/**
 * What the run should be: the state file, as a commit after the one that it was last in step with, merged with what
 * is known here and of the remote. `check` is called before a commit is made of what the state file says.
 */
export function planRun(
  commits: RunCommits,
  local: LocalRun | null,
  known: KnownCommits,
  place: Place,
  check: (snapshot: Snapshot) => void = () => undefined,
): RunPlan | null {
  const baseCommit = known.base ?? copiedCommit(commits, local, known, place);
  const base = baseCommit === undefined ? null : commits.read(baseCommit).snapshot;
  const mine = local === null ? null : toSnapshot(local, base, place);
  const head =
    local === null || mine === null
      ? undefined
      : headOf(commits, { local, mine, known: { ...known, base: baseCommit }, place, check });
  const heads = [head, known.local, known.tracking].flatMap((commit) => commit ?? []);
  const merged = mergeHeads(commits, heads);
  if (merged === null) return null;
  const { commit, conflicts } = merged;
  return { commit, conflicts, mine, result: commits.read(commit).snapshot };
}

/** The commit that a run was copied from which was never in step here: to a new worktree, by `import` or with its folder. */
export function copiedCommit(
  commits: RunCommits,
  local: LocalRun | null,
  known: KnownCommits,
  place: Place,
): string | undefined {
  const heads = [known.local, known.tracking].flatMap((commit) => commit ?? []);
  if (local === null || heads.length === 0) return undefined;
  return findCopied(commits.history([...new Set(heads)]), portableLines(local, place));
}

/** The commit that has the run as it is here: one there is already, or a new one. Equal content makes no commit. */
function headOf(
  commits: RunCommits,
  {
    local,
    mine,
    known,
    place,
    check,
  }: {
    local: LocalRun;
    mine: Snapshot;
    known: KnownCommits;
    place: Place;
    check: (snapshot: Snapshot) => void;
  },
): string {
  // Mostly several of them are the same commit.
  for (const commit of new Set([known.base, known.local, known.tracking])) {
    if (commit === undefined) continue;
    const { snapshot } = commits.read(commit);
    const portable = commit === known.base ? mine : toSnapshot(local, snapshot, place);
    if (sameContent(portable, snapshot)) return commit;
  }
  check(mine);
  return commits.write(mine, known.base === undefined ? [] : [known.base], local.at);
}
