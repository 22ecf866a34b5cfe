import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeThenRename } from '../../files/atomic-write.ts';
import { hookMemoryFile, realPath } from '../../files/environment.ts';
import { isInProject } from '../../files/users-folder.ts';
import { LockLost, type Lock } from '../../files/lock.ts';
import {
  modifiedAt,
  namesIfReadable,
  unlessRefused,
} from '../../files/read-file.ts';
import { ownMember } from '../../text/json.ts';
import { parseHookState, type HookState } from './hook-state.ts';
import { readJsonFile } from './json-file.ts';

/** Nothing in the file counts for longer than two weeks. */
const KEPT_FOR_MS = 30 * 24 * 3_600_000;

/**
 * The file with the hook state of a project. It is in the user's own folder: a repository that brings one along would
 * speak as holdfast. Its writers hold the lock of the project, as for the files there.
 */
export class HookMemory {
  #place: { root: string; path: string | null } | undefined;

  constructor(
    private readonly config: string,
    private readonly root: string,
  ) {}

  read(): HookState {
    const { root, path } = this.#placeOnDisk();
    const json = path === null ? undefined : readJsonFile(path);
    // Another project could have the same digest.
    return parseHookState(ownMember(json, 'root') === root ? json : undefined);
  }

  /** Where nothing can be written, or what was written is lost, what was told once is told again. */
  write(state: HookState, lock: Lock, now: Date): void {
    const { root, path } = this.#placeOnDisk();
    if (path === null) return;
    const folder = dirname(path);
    const temporary = join(folder, `.tmp-${process.pid}`);
    const content = JSON.stringify({ root, ...state });
    // A writer that has lost the lock does not overwrite what other hooks have recorded since.
    const confirm = (): void => {
      if (!lock.isHeld()) throw new LockLost();
    };
    unlessRefused(() => {
      const isNew = modifiedAt(path) === null;
      if (isNew) mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeThenRename(temporary, path, content, { confirm, isDurable: false });
      if (isNew) removeOld(folder, now);
    });
  }

  /** The real root, so that a link to the project is the same project; no path if the repository may have written it. */
  #placeOnDisk(): { root: string; path: string | null } {
    if (this.#place !== undefined) return this.#place;
    const root = unlessRefused(() => realPath(this.root)) ?? this.root;
    const isOwn = !isInProject({ config: this.config, root });
    this.#place = {
      root,
      path: isOwn ? hookMemoryFile(this.config, root) : null,
    };
    return this.#place;
  }
}

/** Removes the files of projects in which no hook has recorded anything for long, such as those that are gone. */
function removeOld(folder: string, now: Date): void {
  for (const name of namesIfReadable(folder)) {
    const path = join(folder, name);
    const age = now.getTime() - (modifiedAt(path) ?? now.getTime());
    if (age > KEPT_FOR_MS) rmSync(path, { force: true });
  }
}
