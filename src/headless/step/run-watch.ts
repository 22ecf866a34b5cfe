import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredRun } from '../../state/types.ts';
import type { Known, RunLoss } from './run-loss.ts';

/** Notices that a run was ended, deleted or taken by another session. */
export class RunWatch {
  /** The session that the driver has given the run to. */
  session: string | null = null;
  #path: string | null = null;
  #seen = '';

  constructor(
    private readonly root: string,
    private readonly lossNow: (known: Known) => RunLoss | null,
  ) {}

  see({ path }: Pick<StoredRun, 'path'>): void {
    this.#path = path;
  }

  loss(): RunLoss | null {
    return this.lossNow({ session: this.session, path: this.#path });
  }

  /** Like `loss`, for every second of a turn: reads the run only if its file has changed. */
  isLost(): boolean {
    if (this.#path === null) return false;
    const stat = statSync(join(this.root, this.#path), { throwIfNoEntry: false });
    const mark = stat === undefined ? 'gone' : `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
    if (mark === this.#seen) return false;
    this.#seen = mark;
    return this.loss() !== null;
  }
}
