import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { STATE_FOLDER } from '../state/paths.ts';
import { listRuns } from '../state/store/list-runs.ts';
import { holderOf } from './holder.ts';
import { isActive } from './select-run.ts';

/**
 * The project that a session works in. A session that holds a run keeps it when it changes into a folder that is a
 * project of its own, such as a package, a submodule or a worktree.
 */
export function projectOfSession(
  here: string,
  others: readonly (string | null)[],
  session: string | null,
): string {
  const candidates = others.filter((root): root is string => root !== null && root !== here);
  if (session === null || candidates.length === 0 || holdsRunIn(here, session)) return here;
  return candidates.find((root) => holdsRunIn(root, session)) ?? here;
}

function holdsRunIn(root: string, session: string): boolean {
  if (!existsSync(join(root, STATE_FOLDER))) return false;
  return listRuns(root).runs.some((run) => isActive(run) && holderOf(run.state) === session);
}
