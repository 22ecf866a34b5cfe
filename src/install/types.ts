import type { Exclude } from '../io/git.ts';
import type { HookCommand } from './plan/hook-command.ts';
import type { EditedFile, Installs } from './record/record.ts';
import type { Scope } from './plan/scopes.ts';
import type { ServerEntry } from './plan/server-entry.ts';

/** What lies on disk, as far as an installation has to look. */
export interface Disk {
  read: (path: string) => string | null;
  /** Where a link leads in the end. */
  target: (path: string) => string;
  /** The path without links, as far as it exists. */
  real: (path: string) => string;
  names: (folder: string) => string[];
  isFolder: (path: string) => boolean;
  isGone: (folder: string) => boolean;
  isTracked: (path: string) => boolean;
  trackedIn: (folder: string) => string[];
  excludeFor: (path: string) => Exclude | undefined;
}

export interface Change {
  path: string;
  before: string | null;
  after: string | null;
  /** A file that only its owner may read. */
  isPrivate?: boolean;
}

export interface Plan {
  /** In the order in which they are to be made. */
  changes: Change[];
  backups: Change[];
  /** Files of ours that the user changed: they are left alone. */
  kept: string[];
  /** Files of the user's in the place of ours: they are left alone. */
  foreign: string[];
  /** Files in which another MCP server has our name: it is left alone. */
  foreignServers: string[];
  /** Folders that are removed if nothing is in them: what `init` makes, what `uninstall` empties. */
  folders: string[];
  installs: Installs;
}

/** What is known of the installations there are. */
export interface InstallState {
  installs: Installs;
  /** false: there may be others, of which the record has been damaged. */
  isComplete: boolean;
  /** Folders that were made for the installation already. */
  made: string[];
}

export interface PlanRequest extends InstallState {
  scope: Scope;
  root: string;
  config: string;
  /** The file in which the host keeps what it knows of a user and of projects. */
  hostFile: string;
  disk: Disk;
}

export interface InitRequest extends PlanRequest {
  command: HookCommand;
  isBlocking: boolean;
  invocation: string;
  /** The host has a plugin that does the same: what it brings is not installed again. */
  hasPlugin: boolean;
  withServer: boolean;
  server: ServerEntry;
}

/** What becomes of files that were there before us, and what is kept of them. */
export interface Edits {
  changes: Change[];
  backups: Change[];
  edited: EditedFile[];
}
