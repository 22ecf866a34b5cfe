import { readWhole } from './disk.ts';
import type { Scope } from './places.ts';
import type { InstallRecord } from './record.ts';

export interface Change {
  path: string;
  /** The text of the file; null if there is none. */
  before: string | null;
  after: string | null;
  /** Whether a new file is readable by its owner only. */
  isPrivate: boolean;
}

/** The files as they would be after the changes that are planned so far. */
export class Draft {
  readonly #planned = new Map<string, Change>();

  read(path: string): string | null {
    const planned = this.#planned.get(path);
    return planned === undefined ? readWhole(path) : planned.after;
  }

  write(path: string, after: string | null, isPrivate = false): void {
    const planned = this.#planned.get(path);
    const before = planned === undefined ? readWhole(path) : planned.before;
    this.#planned.set(path, { path, before, after, isPrivate });
  }

  /** In the order in which they are applied. */
  get changes(): Change[] {
    return [...this.#planned.values()].filter(
      ({ before, after }) => before !== after,
    );
  }
}

/** A file that is left unchanged because the user has changed it or wrote it; the words follow its path. */
export type Left = [path: string, why: string];

export interface Plan {
  changes: Change[];
  left: Left[];
  /** Folders that `init` creates or `uninstall` empties; they are removed if they are empty. */
  folders: string[];
  record: InstallRecord;
}

/** What is known when a plan is made. */
export interface InstallState {
  record: InstallRecord;
  /** Folders that were already created for the installation. */
  made: string[];
}

export interface PlanRequest extends InstallState {
  scope: Scope;
  root: string;
  config: string;
  /** The client's own file about the user and the projects (`~/.claude.json`). */
  hostFile: string;
  /** The holdfast that runs, with the module that is installed. */
  packageFolder: string;
}

export interface InitRequest extends PlanRequest {
  isBlocking: boolean;
  /** A plugin already provides hooks, slash commands and skill. */
  hasPlugin: boolean;
  withServer: boolean;
  withStatusLine: boolean;
}
