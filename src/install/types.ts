import type { Exclude } from '../io/git.ts';
import type { HookCommand } from './hook-entry.ts';
import type { EditedFile, Installs } from './record.ts';
import type { Scope } from './scopes.ts';

/** What lies on disk, as far as an installation has to look. */
export interface Disk {
  read: (path: string) => string | null;
  /** Where a link leads in the end. */
  target: (path: string) => string;
  names: (folder: string) => string[];
  isFolder: (path: string) => boolean;
  excludeFor: (path: string) => Exclude | undefined;
}

export interface Change {
  path: string;
  before: string | null;
  after: string | null;
}

export interface Plan {
  /** In the order in which they are to be made. */
  changes: Change[];
  backups: Change[];
  /** Files of ours that the user changed: they are left alone. */
  kept: string[];
  /** Folders that are removed if nothing is in them. */
  folders: string[];
  installs: Installs;
}

export interface Request {
  scope: Scope;
  root: string;
  config: string;
  disk: Disk;
  installs: Installs;
}

export interface InitRequest extends Request {
  command: HookCommand;
  isBlocking: boolean;
  invocation: string;
  /** Folders that were made for the installation already. */
  made: string[];
}

/** What becomes of files that were there before us, and what is kept of them. */
export interface Edits {
  changes: Change[];
  backups: Change[];
  edited: EditedFile[];
}
