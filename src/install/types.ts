import type { Exclude } from '../io/git.ts';
import type { HookCommand } from './plan/hook-command.ts';
import type { EditedFile, InstalledStatusLine, Installs } from './record/record.ts';
import type { ModuleSource } from './plan/module-files.ts';
import type { Scope } from './plan/scopes.ts';
import type { ServerEntry } from './plan/server-entry.ts';
import type { StatusLineProgram } from './plan/status-line.ts';

/** The file system, as far as a plan reads it. */
export interface Disk {
  read: (path: string) => string | null;
  /** The path that a chain of links ends at. */
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
  /** Whether a new file is readable by its owner only. */
  isPrivate?: boolean;
}

export interface Plan {
  /** In the order in which they are applied. */
  changes: Change[];
  backups: Change[];
  /** Installed files that the user has changed; they are kept. */
  kept: string[];
  /** Files of the user at the paths of ours; they are kept. */
  foreign: string[];
  /** Files in which another MCP server is named holdfast; it is kept. */
  foreignServers: string[];
  /** Folders that `init` creates or `uninstall` empties; they are removed if they are empty. */
  folders: string[];
  installs: Installs;
}

/** The installations on record. */
export interface InstallState {
  installs: Installs;
  /** Folders that were already created for the installation. */
  made: string[];
}

export interface PlanRequest extends InstallState {
  scope: Scope;
  root: string;
  config: string;
  /** The client's own file about the user and the projects (`~/.claude.json`). */
  hostFile: string;
  /** Null if the package that runs has no bundled module. */
  module: ModuleSource | null;
  disk: Disk;
}

export interface InitRequest extends PlanRequest {
  command: HookCommand;
  isBlocking: boolean;
  invocation: string;
  /** A plugin already provides hooks, slash commands and skill. */
  hasPlugin: boolean;
  withServer: boolean;
  server: ServerEntry;
  withStatusLine: boolean;
  statusLine: StatusLineProgram;
}

/** Changes to files that existed before, and their backups. */
export interface Edits {
  changes: Change[];
  backups: Change[];
  edited: EditedFile[];
}

/** Also what is registered in the settings beside the hooks. */
export interface SettingsEdits extends Edits {
  statusLine: InstalledStatusLine | undefined;
}
