import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, modifiedAt } from '../io/read-file.ts';
import { holderOf } from '../sessions/holder.ts';
import { LOCK_FILE, STATE_FOLDER } from '../state/paths.ts';
import { hasRunFolders, stateFilePaths } from '../state/store/list-runs.ts';
import type { Transaction } from '../state/store/store.ts';
import type { StoredRun } from '../state/types.ts';
import type { HookContext } from './context.ts';
import { owedTo } from './owed.ts';

const LARGE_STATE_BYTES = 500_000;

/** To be called last in a transaction, because every write removes the markers. */
export function recordOwed(
  context: HookContext,
  tx: Transaction,
  listed: readonly StoredRun[] = tx.runs,
): void {
  const { session } = context.input;
  const runs = tx.withWrites(listed);
  if (session === null || runs.length === 0) return;
  const held = runs.filter(({ state }) => holderOf(state) === session);
  if (held.some((run) => isLarge(context.root, run.path))) return;
  const own = held.flatMap((run) => tx.reread(run) ?? []);
  tx.saveOwed(session, owedTo(context, { session, runs, own, hookState: tx.hookState }));
}

/** For calls that have written nothing: otherwise the next event would start Node again. Takes no lock in the project. */
export function keepOwedCurrent(context: HookContext): void {
  const { input, root, store, owed } = context;
  const { session } = input;
  if (session === null || input.event === 'SessionEnd' || owed.has(session)) return;
  if (!hasRunFolders(root)) return;
  if (stateFilePaths(root).some((path) => isLarge(root, path))) return;
  const folder = join(root, STATE_FOLDER);
  const before = modifiedAt(folder);
  const { runs } = store.list();
  const own = runs.filter(({ state }) => holderOf(state) === session);
  owed.write(session, owedTo(context, { session, runs, own, hookState: store.hookState() }));
  // Every writer creates the lock in this folder: one that came meanwhile may have made something due.
  if (modifiedAt(folder) !== before || existsSync(join(root, LOCK_FILE))) owed.remove(session);
}

/** Reading such a state file once more costs a hook more memory than the marker saves time. */
function isLarge(root: string, path: string): boolean {
  try {
    return lstatSync(join(root, path)).size > LARGE_STATE_BYTES;
  } catch (error) {
    // Removed meanwhile, or a run that could not be stored.
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}
