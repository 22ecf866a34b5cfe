import { lstatSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, locate } from '../../io/read-file.ts';
import * as places from '../paths.ts';

/** Two runs of the same second get different names: the later one takes the next free second. */
export function freeRunId(root: string, slug: string, started: Date): string {
  for (let time = started.getTime(); ; time += 1000) {
    const runId = places.runIdFor(slug, new Date(time));
    const taken = [places.stateFile({ slug, runId }), places.archivedState(runId)];
    if (taken.every((path) => locate(root, join(root, path)) === 'absent')) return runId;
  }
}

/** False where the file system refuses: one broken file is no reason to lose the other runs. */
export function quarantine(root: string, path: string, now: Date): boolean {
  try {
    renameSync(join(root, path), join(root, freeAsideName(root, path, now)));
    return true;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

function freeAsideName(root: string, path: string, now: Date): string {
  for (let time = now.getTime(); ; time += 1000) {
    const name = places.quarantineName(path, new Date(time));
    if (lstatSync(join(root, name), { throwIfNoEntry: false }) === undefined) return name;
  }
}
