import type { Scope } from '../plan/scopes.ts';

/** `<config>/holdfast/installs.json`: what was installed where, so that `uninstall` removes exactly that. */
export interface Installs {
  /** The version of the copy that the hooks run. */
  runtime: { version: string };
  /** The folders that were created, for whichever installation; each uninstallation removes those that are empty. */
  folders: string[];
  installs: Install[];
}

export interface Install {
  scope: Scope;
  /** null for scope user. */
  root: string | null;
  /** Files that existed before, or that others write to as well. */
  edited: EditedFile[];
  /** Slash commands and skill. */
  files: string[];
  /** The files of the module, which the client loads from the folder of the skill. */
  module: ModuleFile[];
  /** The exclude files of git that have a block for it. */
  excludes: string[];
  /** The MCP server, if it was asked for. */
  server?: InstalledServer;
  /** The status line, if it was asked for. */
  statusLine?: InstalledStatusLine;
}

export interface InstalledStatusLine {
  /** The text of the user's own value in the settings file; null if there was none. */
  original: string | null;
}

export interface ModuleFile {
  path: string;
  /** The digest of the file that was written. */
  written: string;
}

export interface InstalledServer {
  path: string;
  /** The keys that lead to the servers in it. */
  at: string[];
  /** How many of the keys that lead to the server existed before. */
  found: number;
  isNewFile: boolean;
}

export interface EditedFile {
  path: string;
  /** The backup of the original file; null if there was none. */
  backup: string | null;
  /** The digest of the file that was written. */
  written: string;
}

export function findInstall(
  { installs }: Installs,
  scope: Scope,
  root: string,
): Install | undefined {
  return installs.find((install) => isFor(install, scope, root));
}

export function othersThan({ installs }: Installs, scope: Scope, root: string): Install[] {
  return installs.filter((install) => !isFor(install, scope, root));
}

function isFor(install: Install, scope: Scope, root: string): boolean {
  return install.scope === scope && (scope === 'user' || install.root === root);
}
