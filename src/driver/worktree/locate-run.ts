import { isFolder, type OperationContext } from '../../operations/open-project.ts';
import { movedFrom, movedTo } from '../../state/moved.ts';
import type { StoredRun } from '../../state/types.ts';
import { isSameRepository } from './worktree.ts';

/** Where a run can be continued. */
export type RunLocation =
  | { kind: 'here' }
  /** In a worktree; `hasArrived` if the checkout that it came from knows that. */
  | { kind: 'there'; path: string; run: StoredRun; hasArrived: boolean }
  /** On its way back: it is whole in the worktree, and nobody can continue it there. */
  | { kind: 'returning'; path: string; run: StoredRun }
  /** Finished in a worktree, and its record is still there. */
  | { kind: 'finished'; path: string; run: StoredRun }
  /** It never got to the worktree, so nothing was done there. */
  | { kind: 'not_sent'; path: string }
  /** It was in the worktree, and is not there any more. */
  | { kind: 'gone'; path: string };

/** The state file may come from anybody: only a checkout of the same repository that has the run by the same move counts. */
export function locateRun(
  { runId, state }: StoredRun,
  root: string,
  open: (root: string) => OperationContext,
): RunLocation {
  const moved = movedTo(state);
  if (moved === null) return { kind: 'here' };
  const { path, id, arrived } = moved;
  const run = runIn(path, runId, root, open);
  if (run === null || movedFrom(run.state)?.id !== id)
    return { kind: arrived ? 'gone' : 'not_sent', path };
  if (movedTo(run.state) !== null) return { kind: 'returning', path, run };
  const { status } = run.state;
  if (status === 'completed' || status === 'cancelled') return { kind: 'finished', path, run };
  return { kind: 'there', path, run, hasArrived: arrived };
}

function runIn(
  path: string,
  runId: string,
  root: string,
  open: (root: string) => OperationContext,
): StoredRun | null {
  if (!isFolder(path) || !isSameRepository(root, path)) return null;
  const there = open(path);
  if (there.root !== path) return null;
  const stored = there.store.list().runs.find((run) => run.runId === runId);
  return stored ?? there.store.archivedRun(runId) ?? null;
}
