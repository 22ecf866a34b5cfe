import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, modifiedAt } from '../io/read-file.ts';
import { holderOf } from '../sessions/holder.ts';
import { LOCK_FILE, STATE_FOLDER } from '../state/paths.ts';
import { hasRunFolders, stateFilePaths } from '../state/store/list-runs.ts';
import type { Transaction } from '../state/store/store.ts';
import type { StoredRun } from '../state/types.ts';
import type { HookContext } from './context.ts';
import { owedTo, type OwedMarker } from './owed.ts';

/** File times are a few milliseconds coarse. */
const SAME_TIME = 50;

const LARGE_STATE_BYTES = 500_000;

/** To be called last in a transaction, because every write removes the markers. */
export function recordOwed(
  context: HookContext,
  tx: Transaction,
  listed: readonly StoredRun[] = tx.runs,
): void {
  const { session } = context.input;
  const runs = tx.withWrites(listed);
  if (session === null || runs.length === 0 || !context.isMarkerRead()) return;
  const held = runs.filter(({ state }) => holderOf(state) === session);
  if (held.some((run) => isLarge(context.root, run.path))) return;
  const own = held.flatMap((run) => tx.reread(run) ?? []);
  const known = { session, runs, own, hookState: tx.hookState };
  tx.saveOwed(session, formatMarker(owedTo(context, known)), own.length === 0);
}

/** For calls that have written nothing: otherwise the next event would start Node again. */
export function keepOwedCurrent(context: HookContext): void {
  const { input, root, store, owed } = context;
  if (input.session === null || input.event === 'SessionEnd') return;
  if (owed.saved !== null) {
    if (owed.saved.dependsOnFolder) dateAfterUnlock(context, input.session);
    return;
  }
  const marker = markerAge(context, input.session);
  if (marker === 'current' || !hasRunFolders(root)) return;
  if (!context.isMarkerRead() || stateFilePaths(root).some((path) => isLarge(root, path))) return;
  // Shells that compare whole seconds are worth a new marker, but not a lock in the project.
  if (!recordWithoutLock(context, input.session) && marker === 'outdated')
    store.transaction((tx) => recordOwed(context, tx));
}

/**
 * Removing the lock has changed the folder once more; nobody else has, as long as there is no other lock. Times are set
 * less exactly than the system sets them, so the marker gets a slightly later one.
 */
function dateAfterUnlock({ root, owed }: HookContext, session: string): void {
  const changed = modifiedAt(join(root, STATE_FOLDER));
  if (changed !== null && !existsSync(join(root, LOCK_FILE))) owed.setTime(session, changed + 2);
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

/** Writes nothing into the project. False if another process may have written to it meanwhile. */
function recordWithoutLock(context: HookContext, session: string): boolean {
  const { root, owed, store } = context;
  const folder = join(root, STATE_FOLDER);
  const before = modifiedAt(folder);
  const isLocked = (): boolean => existsSync(join(root, LOCK_FILE));
  // Every writer creates the lock in this folder, but two changes in quick succession may get the same time.
  if (before === null || Date.now() - before < SAME_TIME || isLocked()) return false;
  const { runs } = store.list();
  const own = runs.filter(({ state }) => holderOf(state) === session);
  const known = { session, runs, own, hookState: store.hookState() };
  owed.write(session, formatMarker(owedTo(context, known)));
  if (modifiedAt(folder) === before && !isLocked()) return true;
  owed.remove(session);
  return false;
}

/** As bin/hook.sh checks it; some shells compare whole seconds. */
function markerAge(
  { owed, registry }: HookContext,
  session: string,
): 'current' | 'of_this_second' | 'outdated' {
  const marker = owed.read(session);
  if (marker === null || marker.at > Date.now() + SAME_TIME) return 'outdated';
  const [, ...files] = marker.text.split('\n');
  const gap = files.indexOf('');
  const timesOf = (paths: string[]): number[] => paths.flatMap((path) => modifiedAt(path) ?? []);
  const written = [...timesOf(files.slice(0, gap)), registry.changedAt(session) ?? 0];
  const watched = timesOf(files.slice(gap).filter(Boolean));
  if (written.some((time) => time > marker.at) || watched.some((time) => time >= marker.at))
    return 'outdated';
  const second = marker.at - (marker.at % 1_000);
  return watched.every((time) => time < second) ? 'current' : 'of_this_second';
}

function formatMarker({ events, written, watched }: OwedMarker): string {
  const paths = [...written, '', ...watched].filter((path) => !path.includes('\n'));
  return [events.join(' '), ...paths].map((line) => `${line}\n`).join('');
}
