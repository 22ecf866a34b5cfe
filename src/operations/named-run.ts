import { HoldfastError } from '../errors/holdfast-error.ts';
import type { RunCandidate } from '../errors/runs.ts';
import type { UnreadableFile } from '../errors/state-files.ts';
import { byRecency, findRun, hasName, type NamedSelection } from '../sessions/select-run.ts';
import type { Listing } from '../state/store/list-runs.ts';
import type { StoredRun } from '../state/types.ts';
import { recordOfPlan } from '../sync/source-records.ts';
import type { OperationContext } from './open-project.ts';
import { projectPath } from './project-path.ts';
import type { DetectedRun } from './sync-preview.ts';

/**
 * The run of that name. The path of a source may also be given as seen from the working directory, and it may be that
 * of a second source that was merged into the run.
 */
export function findNamedRun(
  context: OperationContext,
  runs: readonly StoredRun[],
  name: string,
  detected: readonly DetectedRun[] = [],
): NamedSelection {
  const all = [...runs, ...detected.map(({ run }) => run)];
  const found = findRun(all, name);
  if (found.kind !== 'unknown')
    return found.isPrefix && isNameOfOther(context, name) ? { kind: 'unknown', near: [] } : found;
  if (name.trim() === '') return found;
  const path = projectPath(context, name.trim().replace(/^@/, ''));
  const recorded = recordOfPlan(context.store.sourceRecords(), path)?.run_id;
  const fed = detected.filter(({ change }) =>
    change.updates.some(({ source }) => source.path === path),
  );
  const [first, ...more] = all.filter(
    (run) =>
      run.state.source?.path === path ||
      run.runId === recorded ||
      fed.some((each) => each.run === run),
  );
  if (first === undefined) return found;
  return more.length === 0
    ? { kind: 'run', run: first }
    : { kind: 'ambiguous', runs: byRecency([first, ...more]) };
}

/** The beginning of a name does not mean its run if a run in the archive, or one that is not, has that whole name. */
function isNameOfOther({ store }: OperationContext, name: string): boolean {
  return [...store.list().runs, ...store.archive().runs].some((run) => hasName(run, name));
}

export function ambiguousRunError(
  name: string | null,
  runs: readonly StoredRun[],
  areStopped = false,
): HoldfastError {
  return new HoldfastError({
    code: 'ambiguous_run',
    name,
    runs: runs.map(candidateOf),
    ...(areStopped ? { areStopped } : {}),
  });
}

export function unknownRunError(
  { store }: OperationContext,
  name: string,
  near: readonly StoredRun[],
  all: readonly StoredRun[],
  isArchive = false,
): HoldfastError {
  return new HoldfastError({
    code: 'unknown_run',
    name,
    near: near.map(({ runId }) => runId),
    all: byRecency(all).map(({ runId }) => runId),
    ...(isArchive ? { isArchive } : {}),
    unreadable: [...unreadableFiles(store.list()), ...unreadableFiles(store.archive())],
  });
}

/** For the refusal that a run is not there. */
export function unreadableFiles({ unreadable }: Listing): UnreadableFile[] {
  return unreadable.map(({ path, why }) => ({ path, why }));
}

/** Of runs with the same name, only the file that declares each tells a person which is which. */
function candidateOf({ runId, state: { source } }: StoredRun): RunCandidate {
  const isDeclared = source?.kind === 'plan' || source?.kind === 'local-file';
  return { run: runId, source: isDeclared ? (source.path ?? null) : null };
}
