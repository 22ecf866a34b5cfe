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

/** The ids that were given, and where to go on for each name: thousands of plans may have one. */
export class TakenIds {
  readonly #next = new Map<string, Date>();

  constructor(private readonly ids: Set<string> = new Set()) {}

  take(root: string, slug: string, started: Date): string {
    const start = `${slug} ${started.getTime()}`;
    let at = started;
    const id = freeName(
      this.#next.get(start) ?? started,
      (time) => {
        at = time;
        return paths.runIdFor(slug, time);
      },
      (runId) =>
        !this.ids.has(runId) &&
        isFree(root, paths.stateFile({ slug, runId })) &&
        isFree(root, paths.archivedState(runId)),
    );
    this.ids.add(id);
    this.#next.set(start, at);
    return id;
  }
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
