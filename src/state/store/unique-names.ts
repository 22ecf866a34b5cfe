import { lstatSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { locate, unlessRefused } from '../../files/read-file.ts';
import * as paths from '../paths.ts';

/** Run ids contain the second of their start; if that id is taken, the next free second is used. */
export class FreeRunIds {
  readonly #taken: Set<string>;
  /** Where to go on: thousands of plans may have one name. */
  readonly #next = new Map<string, number>();

  constructor(
    private readonly root: string,
    taken: Iterable<string> = [],
  ) {
    this.#taken = new Set(taken);
  }

  take(slug: string, started: Date): string {
    const start = `${slug} ${started.getTime()}`;
    for (let time = this.#next.get(start) ?? started.getTime(); ; time += 1000) {
      const runId = paths.runIdFor(slug, new Date(time));
      const candidates = [paths.stateFile({ slug, runId }), paths.archivedState(runId)];
      if (this.#taken.has(runId) || !candidates.every((path) => isFree(this.root, path))) continue;
      this.#taken.add(runId);
      this.#next.set(start, time + 1000);
      return runId;
    }
  }
}

/** Where nothing may be looked up, nothing can be written either: the write then says so. */
function isFree(root: string, path: string): boolean {
  const place = locate(root, join(root, path));
  return place === 'absent' || place === 'not permitted';
}

/** An id in the archive that no other replaced state has. */
export function freeReplacedId(root: string, runId: string, now: Date): string {
  for (let time = now.getTime(); ; time += 1000) {
    const id = paths.replacedRunId(runId, new Date(time));
    if (isFree(root, paths.archivedState(id))) return id;
  }
}

/** Renames a corrupt file. Returns null if the file system refuses, so that the other runs stay usable. */
export function quarantine(root: string, path: string, now: Date): string | null {
  return unlessRefused(() => {
    const movedTo = freeQuarantineName(root, path, now);
    renameSync(join(root, path), join(root, movedTo));
    return movedTo;
  });
}

function freeQuarantineName(root: string, path: string, now: Date): string {
  for (let time = now.getTime(); ; time += 1000) {
    const name = paths.quarantineName(path, new Date(time));
    if (lstatSync(join(root, name), { throwIfNoEntry: false }) === undefined) return name;
  }
}
