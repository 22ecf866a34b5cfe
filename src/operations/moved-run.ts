import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { movedTo } from '../state/moved.ts';
import { archivedState, stateFile } from '../state/paths.ts';
import type { StoredRun } from '../state/types.ts';

/** Throws for a run that continues in another checkout. If that is gone, the run can be continued here. */
export function requireHere(run: StoredRun): void {
  const moved = movedTo(run.state);
  if (moved !== null && isStoredIn(moved.path, run))
    throw new HoldfastError({ code: 'run_moved', run: run.runId, path: moved.path });
}

function isStoredIn(root: string, run: StoredRun): boolean {
  return [stateFile(run), archivedState(run.runId)].some((path) => existsSync(join(root, path)));
}
