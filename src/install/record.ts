import { dirname, join } from 'node:path';
import fse from 'fs-extra';
import { HoldfastError } from '../text/holdfast-error.ts';
import { translateFsErrors } from '../files/fs-errors.ts';
import { withLock } from '../files/lock.ts';
import { removeIfEmpty } from '../files/read-file.ts';
import { replaceText } from '../files/atomic-write.ts';
import { installsFile, runtimeFolder } from '../files/environment.ts';
import { isObject, parseJson } from '../text/json.ts';
import { readIfText } from './disk.ts';
import type { HostName } from '../hosts/hosts.ts';
import type { Scope, ServerPlace } from './places.ts';

const VERSION = 1;

/** How long an installation waits for another one. */
const LOCK_WAIT_MS = 10_000;

/** The record has the settings of the user in it, so nobody else may read it. */
const OWNER_ONLY = 0o600;

/** `<config>/holdfast/installs.json`: what was installed where, so that `uninstall` removes exactly that. */
export interface InstallRecord {
  version: typeof VERSION;
  /** The version of the copy that the hooks run. */
  runtime: { version: string };
  /** The folders that were created, for whichever installation; each uninstallation removes those that are empty. */
  folders: string[];
  /** The same for the objects that lead to an MCP server in a JSON file: the file and the keys, see `containerKey`. */
  containers: string[];
  installs: Install[];
  /** Those in hosts other than Claude Code. */
  hosts?: HostInstall[];
}

export interface HostInstall {
  host: HostName;
  /** null for the user, in all projects. */
  root: string | null;
  file: EditedSettings;
}

export interface Install {
  scope: Scope;
  /** null for scope user. */
  root: string | null;
  settings: EditedSettings;
  /** Slash commands, skill and module. */
  files: WrittenFile[];
  /** The patterns for it in exclude files of git. */
  excludes: ExcludePattern[];
  hasStatusLine: boolean;
  /** Where the MCP server is registered, if it was asked for. */
  server?: ServerPlace;
}

export interface WrittenFile {
  path: string;
  /** The digest of what was written. */
  written: string;
}

export interface EditedSettings extends WrittenFile {
  /** The file as it is without our entries; null if there is none. */
  original: string | null;
}

export interface ExcludePattern {
  file: string;
  pattern: string;
}

export function readRecord(
  config: string,
): InstallRecord | 'damaged' | 'newer' {
  const text = readIfText(installsFile(config));
  if (text === null)
    return {
      version: VERSION,
      runtime: { version: '' },
      folders: [],
      containers: [],
      installs: [],
    };

  const json = parseJson(text ?? '');
  if (isRecord(json)) return json;
  const isNewer = isObject(json) && Number(json['version']) > VERSION;
  return isNewer ? 'newer' : 'damaged';
}

export function requireRecord(config: string): InstallRecord {
  const record = readRecord(config);
  if (typeof record !== 'string') return record;
  const file = installsFile(config);
  if (record === 'newer')
    throw new HoldfastError(
      'record_newer',
      `${file} was written by a newer version of holdfast`,
      { hint: 'update holdfast, then try again; nothing was changed' },
    );
  throw new HoldfastError(
    'record_damaged',
    `${file} is damaged: it recorded what is installed where`,
    {
      hint: 'delete it and try again, then run `holdfast init` in your other projects; nothing was changed',
    },
  );
}

export function findInstall(
  { installs }: InstallRecord,
  scope: Scope,
  root: string,
): Install | undefined {
  return installs.find(
    (install) =>
      install.scope === scope && (scope === 'user' || install.root === root),
  );
}

export function writeRecord(config: string, record: InstallRecord): void {
  const text = `${JSON.stringify(record, null, 2)}\n`;
  if (readIfText(installsFile(config)) !== text)
    replaceText(installsFile(config), text, { mode: OWNER_ONLY });
}

export const installLock = (config: string): string =>
  join(runtimeFolder(config), '.lock');

/** Keeps two installations from overwriting each other's record. `work` gets the folders that had to be created. */
export function withInstallLock<T>(
  config: string,
  work: (made: string[]) => T,
): T {
  const home = runtimeFolder(config);
  return translateFsErrors(home, () => {
    const made = makeFolder(home);
    try {
      return withLock(installLock(config), LOCK_WAIT_MS, () => work(made));
    } finally {
      const emptied = made.length > 0 ? made : [home];
      for (const folder of emptied) removeIfEmpty(folder);
    }
  });
}

/** Returns the folders that had to be created, innermost first. */
function makeFolder(path: string): string[] {
  const outermost = fse.mkdirSync(path, { recursive: true });
  if (outermost === undefined) return [];
  const made: string[] = [];
  for (
    let folder = path;
    folder.length >= outermost.length;
    folder = dirname(folder)
  )
    made.push(folder);
  return made;
}

/** Only `init` writes it, as a whole. */
const isRecord = (json: unknown): json is InstallRecord =>
  isObject(json) &&
  json['version'] === VERSION &&
  Array.isArray(json['installs']);
