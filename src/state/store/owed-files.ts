import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { LIVE_FOR } from '../live-for.ts';
import { modifiedAt, errorCode } from '../../io/read-file.ts';
import { join } from 'node:path';
import { renameWithRetry } from '../../io/atomic-write.ts';
import { namesIfReadable } from '../../io/list-folder.ts';
import { removeIfThere } from '../../io/remove.ts';
import { isPlainId } from '../../util/sanitize.ts';

const RESTORED = '.restored';
const TEMPORARY = '.tmp-';

/**
 * What hooks still have to do for the sessions of a project, one file each, for bin/hook.sh. Outside the project, so that
 * an idle hook writes nothing into it. Every write to the state files removes the markers, under the lock. A marker that
 * is wrong delays what is due to the next SessionStart or command.
 */
export class OwedFiles {
  /** `folder` is that of one project. */
  constructor(private readonly folder: string) {}

  has(session: string): boolean {
    const path = this.#path(session);
    return path !== null && existsSync(path);
  }

  /** The events for which bin/hook.sh starts Node. */
  write(session: string, events: readonly string[]): void {
    const path = this.#path(session);
    if (path !== null) withoutFileErrors(() => this.#replace(path, `${events.join(' ')}\n`));
  }

  remove(session: string): void {
    const path = this.#path(session);
    if (path !== null) withoutFileErrors(() => removeIfThere(path));
  }

  /** Without its marker, the next event of a session starts Node and finds out what is owed. */
  removeAll(now: number): void {
    for (const name of namesIfReadable(this.folder)) {
      const path = join(this.folder, name);
      const isKept = name.endsWith(RESTORED) && now - (modifiedAt(path) ?? 0) < LIVE_FOR;
      if (!isKept) withoutFileErrors(() => removeIfThere(path));
    }
  }

  /**
   * Written when SessionStart has restored the run after a compaction, so that bin/hook.sh can answer the PostCompact
   * that follows: it empties the file.
   */
  writeRestored(session: string): void {
    const path = this.#path(session, RESTORED);
    if (path === null) return;
    withoutFileErrors(() => this.#replace(path, 'restored\n'));
  }

  removeRestored(session: string): void {
    const path = this.#path(session, RESTORED);
    if (path !== null) withoutFileErrors(() => removeIfThere(path));
  }

  /** When bin/hook.sh answered the PostCompact of the last restore; null if it has not. */
  postCompactAnsweredAt(session: string): number | null {
    const path = this.#path(session, RESTORED);
    const stat = path === null ? undefined : statSync(path, { throwIfNoEntry: false });
    return stat?.size === 0 ? stat.mtimeMs : null;
  }

  #replace(path: string, content: string): void {
    const temporary = join(this.folder, `${TEMPORARY}${process.pid}`);
    try {
      writeFileSync(temporary, content);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      mkdirSync(this.folder, { recursive: true });
      writeFileSync(temporary, content);
    }
    renameWithRetry(temporary, path);
  }

  /** Null for an id that bin/hook.sh does not accept as a name. */
  #path(session: string, ending = ''): string | null {
    return isPlainId(session) ? join(this.folder, `${session}${ending}`) : null;
  }
}

/** A marker that cannot be written costs the start of Node at the next event and nothing else. */
function withoutFileErrors(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}
