import { isObject, parseJson } from '../../util/json.ts';
import { SCOPES, type Scope } from '../plan/scopes.ts';

/** `<config>/holdfast/installs.json`: what was installed where, so that `uninstall` removes exactly that. */
export interface Installs {
  /** The version of the copy that the hooks run. */
  runtime: { version: string };
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
  module?: ModuleFile[];
  /** The folders that were created. */
  folders: string[];
  /** The exclude files of git that have a block for it. */
  excludes: string[];
  /** The MCP server, if it was asked for. */
  server?: InstalledServer;
  /** The permission rules that were added to the settings. */
  rules?: string[];
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
  /** The digest of the file that was backed up. */
  found: string;
  /** The digest of the file that was written. */
  written: string;
}

/** Whatever the shape of the record, the entries that can be understood. */
export function installsFrom(json: unknown): Installs {
  const { runtime, installs } = isObject(json) ? json : {};
  const version =
    isObject(runtime) && typeof runtime['version'] === 'string' ? runtime['version'] : '';
  return {
    runtime: { version },
    installs: Array.isArray(installs) ? installs.map(withExcludes).filter(isInstall) : [],
  };
}

/** Whether every entry can be understood. A record that is rewritten from fewer would forget installations. */
export function isWholeRecord(json: unknown): boolean {
  return (
    isObject(json) &&
    Array.isArray(json['installs']) &&
    json['installs'].map(withExcludes).every(isInstall)
  );
}

/** Before the block, each pattern was recorded with its file as `excluded`. */
function withExcludes(value: unknown): unknown {
  if (!isObject(value) || !Array.isArray(value['excluded'])) return value;
  const { excluded, ...install } = value;
  const files = excluded.map((entry: unknown) => (isObject(entry) ? entry['file'] : undefined));
  return { ...install, excludes: [...new Set(files)] };
}

function isInstall(value: unknown): value is Install {
  if (!isObject(value)) return false;
  const { scope, root, edited, files, folders, excludes, server, rules, statusLine, module } =
    value;
  return (
    SCOPES.some((known) => known === scope) &&
    (root === null || typeof root === 'string') &&
    isListOf(
      edited,
      ({ path, backup, found, written }) =>
        [path, found, written].every((text) => typeof text === 'string') &&
        (backup === null || typeof backup === 'string'),
    ) &&
    [files, folders, excludes].every(isListOfTexts) &&
    (server === undefined || isServer(server)) &&
    (rules === undefined || isListOfTexts(rules)) &&
    (statusLine === undefined || isStatusLine(statusLine)) &&
    (module === undefined ||
      isListOf(module, ({ path, written }) =>
        [path, written].every((text) => typeof text === 'string'),
      ))
  );
}

function isStatusLine(value: unknown): boolean {
  return isObject(value) && (value['original'] === null || isJsonText(value['original']));
}

/** It is put into a settings file as it is, which must stay readable. */
function isJsonText(value: unknown): boolean {
  return typeof value === 'string' && parseJson(value) !== undefined;
}

function isServer(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value['path'] === 'string' &&
    isListOfTexts(value['at']) &&
    typeof value['found'] === 'number' &&
    typeof value['isNewFile'] === 'boolean'
  );
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isListOf(value: unknown, fits: (item: Record<string, unknown>) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => isObject(item) && fits(item));
}
