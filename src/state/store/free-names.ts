import { locate } from '../../files/read-file.ts';
import * as paths from '../paths.ts';

// Names contain a second. If the name for a time is taken, that for a second later is tried.

/** An id for a new run that is neither stored nor archived; it is taken from then on. */
export function takeRunId(
  root: string,
  slug: string,
  started: Date,
  taken: Set<string>,
): string {
  const isFree = (runId: string): boolean =>
    !taken.has(runId) &&
    isUnused(root, paths.stateFile({ slug, runId })) &&
    isUnused(root, paths.archivedState(runId));
  const runId = freeName(started, (time) => paths.runIdFor(slug, time), isFree);
  taken.add(runId);
  return runId;
}

/** An id in the archive for a run that another one replaces. */
export function freeReplacedId(root: string, runId: string, now: Date): string {
  return freeName(
    now,
    (time) => paths.replacedRunId(runId, time),
    (id) => isUnused(root, paths.archivedState(id)),
  );
}

export function freeName(
  start: Date,
  nameAt: (time: Date) => string,
  isFree: (name: string) => boolean,
): string {
  let time = start;
  while (!isFree(nameAt(time))) time = new Date(time.getTime() + 1_000);
  return nameAt(time);
}

/** Where nothing may be looked up, nothing can be written either: the write then says so. */
function isUnused(root: string, path: string): boolean {
  const place = locate(root, `${root}/${path}`);
  return place === 'absent' || place === 'not permitted';
}
