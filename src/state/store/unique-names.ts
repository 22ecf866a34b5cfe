import { lstatSync } from 'node:fs';
import { locate } from '../../files/read-file.ts';
import * as paths from '../paths.ts';

/** Names contain a second. The first one from `start` on that is free. */
function freeName(
  start: Date,
  nameAt: (time: Date) => string,
  isUsable: (name: string) => boolean,
): string {
  for (let time = start.getTime(); ; time += 1_000) {
    const name = nameAt(new Date(time));
    if (isUsable(name)) return name;
  }
}

/** Adds the id to those that are taken. */
export function takeRunId(root: string, slug: string, started: Date, taken: Set<string>): string {
  const id = freeName(
    started,
    (time) => paths.runIdFor(slug, time),
    (runId) =>
      !taken.has(runId) &&
      isFree(root, paths.stateFile({ slug, runId })) &&
      isFree(root, paths.archivedState(runId)),
  );
  taken.add(id);
  return id;
}

/** Where nothing may be looked up, nothing can be written either: the write then says so. */
function isFree(root: string, path: string): boolean {
  return ['absent', 'not permitted'].includes(locate(root, `${root}/${path}`));
}

/** An id in the archive that no other replaced state has. */
export function freeReplacedId(root: string, runId: string, now: Date): string {
  return freeName(
    now,
    (time) => paths.replacedRunId(runId, time),
    (id) => isFree(root, paths.archivedState(id)),
  );
}

/** For a corrupt file. */
export function freeQuarantineName(path: string, now: Date): string {
  return freeName(
    now,
    (time) => paths.quarantineName(path, time),
    (name) => lstatSync(name, { throwIfNoEntry: false }) === undefined,
  );
}
